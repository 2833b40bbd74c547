package io.chagres.cli;

import static java.util.Map.entry;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The headings under which the help and the manual page of a command list its options, where it has many. */
final class OptionGroups {
    /** A command with more options has headings. */
    static final int MOST_WITHOUT = 12;

    private static final String RUNS = "How it runs: ";

    /** A heading and the names of its options, a line for each. */
    private static final Map<String, List<String>> LINES = Map.ofEntries(
            entry(
                    "ship",
                    List.of(
                            "What is shipped: --config --include --exclude --follow-links --start-at --ignore-older"
                                    + " --as",
                            "Where to, and as which host: --to --ca-file --host --host-id --take-over --state",
                            "How fast, and at what cost: --max-lag --coalesce --poll --limit-rate --codec --level"
                                    + " --memory --hold",
                            "When it ends: --once --dry-run --drain --notice",
                            "Protection: --encrypt-to --encrypt-to-file --sign",
                            "Kafka instead of an archive: --spool --spool-size --properties",
                            "As a service, and what it says: --heartbeat --http --http-token --log-format --json"
                                    + " --status-interval --quiet --help")),
            entry(
                    "ls",
                    List.of(
                            "What is listed: -l --at --since --until --hide-gone --versions --objects",
                            RUNS + "--timeout --identity --trust --head --memory --json --help")),
            entry(
                    "grep",
                    List.of(
                            "What matches: --regexp --file --fixed-strings --ignore-case --smart-case --case-sensitive"
                                    + " --word-regexp --line-regexp --invert-match --multiline --pcre2",
                            "What is searched: --at --since --until --line-since --line-until --time-format --glob"
                                    + " --text --search-zip --encoding",
                            "What is printed: --line-number --only-matching --replace --count --files-with-matches"
                                    + " --files-without-match --max-count --max-columns --after-context"
                                    + " --before-context --context --with-filename --no-filename --heading --sort"
                                    + " --color --stats --json --quiet",
                            RUNS + "--timeout --identity --trust --head --memory --help")),
            entry(
                    "cat",
                    List.of(
                            "What is written: --at --since --until --line-since --line-until --time-format --bytes"
                                    + " --names --salvage",
                            RUNS + "--timeout --identity --trust --head --memory --json --help")),
            entry(
                    "tail",
                    List.of(
                            "What is written: --lines --follow --at --since --until --line-since --line-until"
                                    + " --time-format",
                            RUNS + "--timeout --identity --trust --head --memory --json --help")),
            entry(
                    "forward",
                    List.of(
                            "Where to: --to --properties",
                            "What is forwarded: --as --since --shard --chunks --events --max-line-age",
                            RUNS + "--once --http --http-token --state --timeout --identity --trust --head --quiet"
                                    + " --json --help")),
            entry(
                    "mount",
                    List.of(
                            "What is shown: --at --since --until --versions --hide-gone --links-as-written",
                            "Whose files they are: --uid --gid --umask --allow-other",
                            RUNS
                                    + "--foreground --refresh --timeout --cache --cache-size --memory --log"
                                    + " --identity --trust --head --quiet --json --help")),
            entry(
                    "restore",
                    List.of(
                            "What is restored: --at --since --until --gone --hide-gone --all-versions --salvage",
                            "How it is written: --special-bits --ignore-space",
                            "What is in an archive tier: --thaw --thaw-class --thaw-days --yes",
                            RUNS + "--timeout --identity --trust --head --memory --quiet --json --help")),
            entry(
                    "compact",
                    List.of(
                            "What is removed: --retain --history --grace --dry-run",
                            "How it is written: --codec --level --trust --sign",
                            RUNS + "--shard --timeout --identity --memory --quiet --json --help")),
            entry(
                    "dedupe",
                    List.of(
                            "Which files: --include --exclude --one-file-system --min-size",
                            "What is shared: --verify --dry-run --blocks --block-size --min-extent --largest-first"
                                    + " --sparsify",
                            RUNS + "--db --follow --settle --threads --verbose --quiet --json --help")),
            entry(
                    "status",
                    List.of(
                            "What is shown: --late --problems --acknowledge",
                            "As an exporter: --serve --every --most-hosts --http-token",
                            RUNS + "--state --timeout --memory --quiet --json --help")));

    private OptionGroups() {}

    /**
     * Options that are shown together.
     *
     * @param heading empty where a command has no headings
     */
    record Group(String heading, List<OptionSpec> options) {}

    /** Returns the options that the help of a command shows, group by group, or by name if it has no headings. */
    static List<Group> of(CommandSpec command) {
        List<String> lines = LINES.get(command.name());
        List<OptionSpec> visible = new ArrayList<>(HelpModel.options(command));
        if (lines == null || command.parent() == null) {
            Comparator<OptionSpec> byName = CommandLine.Help.createShortOptionNameComparator();
            visible.sort(Comparator.comparing(OptionSpec::usageHelp).thenComparing(byName));
            return List.of(new Group("", visible));
        }
        List<Group> groups = new ArrayList<>();
        for (String line : lines) {
            int colon = line.indexOf(':');
            List<OptionSpec> options = new ArrayList<>();
            for (String name : line.substring(colon + 1).strip().split(" ", -1)) {
                options.add(Objects.requireNonNull(command.findOption(name), name));
            }
            groups.add(new Group(line.substring(0, colon), options));
        }
        return groups;
    }
}
