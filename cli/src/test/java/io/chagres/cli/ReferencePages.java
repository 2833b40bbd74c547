package io.chagres.cli;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.ship.ConfigKeys;
import io.chagres.testkit.Repository;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The pages of {@code docs/reference} that the program knows: options, keys, exit codes and metrics. Stateless. */
final class ReferencePages {
    private static final Pattern EXIT_CODES = Pattern.compile("Exit codes(?:, [^:]*)?: (.*?)[.](?: [A-Z'].*)?$");
    private static final String TEXT = "\"((?:[^\"\\\\]|\\\\.)*)\"";
    private static final Pattern METRIC = Pattern.compile(
            "(gauge|counter|durations|info|each)\\(\\s*(?:metrics,\\s*told,\\s*)?\"((?:chagres|process)_\\w+)\",\\s*"
                    + TEXT);
    private static final Pattern JOINED = Pattern.compile("(?<!\\\\)\"\\s*\\+\\s*\"");
    private static final String MADE = "This page is made from the program, and a test keeps it so.\n";

    private ReferencePages() {}

    private static CommandLine root() {
        return Main.commandLine(
                CommandContext.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), List.of()));
    }

    /** Returns all commands, those below others too, in the order of the help. */
    private static List<CommandSpec> commands(CommandSpec command) {
        List<CommandSpec> commands = new ArrayList<>(List.of(command));
        HelpModel.commands(command).forEach(below -> commands.addAll(commands(below)));
        return commands;
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("*", "\\*")
                .replace("<", "&lt;")
                .replace("|", "\\|")
                .replace("[[", "\\[\\[")
                .strip();
    }

    /** Returns the page of options. */
    static String options() {
        StringBuilder page = new StringBuilder("# Options of every command\n\n" + MADE);
        page.append("`chagres COMMAND --help` and the manual pages say the same.\n");
        commands(root().getCommandSpec()).forEach(command -> describe(command, page));
        commands(io.chagres.faultfs.Main.model()).forEach(command -> describe(command, page));
        return page.toString();
    }

    private static void describe(CommandSpec command, StringBuilder page) {
        page.append("\n## `").append(command.qualifiedName()).append("`\n\n");
        page.append(escaped(ManPage.join(command.usageMessage().header()))).append("\n\n");
        String text = ManPage.join(command.usageMessage().description());
        if (!text.isBlank()) {
            page.append(escaped(text)).append("\n\n");
        }
        command.positionalParameters().stream()
                .filter(parameter -> !parameter.hidden())
                .forEach(parameter -> entry(parameter.paramLabel(), HelpModel.description(parameter), page));
        for (OptionGroups.Group group : OptionGroups.of(command)) {
            if (!group.heading().isEmpty()) {
                page.append("\n### ").append(group.heading()).append("\n\n");
            }
            group.options().forEach(option -> entry(names(option), HelpModel.description(option), page));
        }
    }

    private static String names(OptionSpec option) {
        return String.join("`, `", option.names()) + (option.arity().max() > 0 ? " " + option.paramLabel() : "");
    }

    private static void entry(String term, String text, StringBuilder page) {
        page.append("- `").append(term).append("`: ").append(escaped(text)).append('\n');
    }

    /** Returns the page of the configuration file. */
    static String configuration() {
        CommandLine root = root();
        CommandSpec ship = spec(root, "ship");
        StringBuilder page = new StringBuilder("# Keys of the configuration file\n\n" + MADE);
        page.append("`man chagres.toml` says the same. ");
        page.append(escaped(ManPage.join(spec(root, "config").usageMessage().description())))
                .append('\n');
        Map<String, ConfigKeys.Entry> keys = new LinkedHashMap<>();
        ConfigKeys.all().forEach(each -> keys.putIfAbsent(each.key(), each));
        page.append("\n## Sources\n\n");
        key(
                Objects.requireNonNull(keys.remove("paths")),
                "Files, directories (everything below them) and globs.",
                page);
        for (OptionGroups.Group group : OptionGroups.of(ship)) {
            StringBuilder entries = new StringBuilder();
            for (OptionSpec option : group.options()) {
                ConfigKeys.Entry key = keys.get(option.longestName().substring(2));
                if (key != null) {
                    key(key, HelpModel.description(option), entries);
                }
            }
            if (!entries.isEmpty()) {
                page.append("\n## ").append(group.heading()).append("\n\n").append(entries);
            }
        }
        return page.append("\n## An example\n\n```toml\n")
                .append(ConfigPage.EXAMPLE)
                .append("```\n")
                .toString();
    }

    private static void key(ConfigKeys.Entry key, String text, StringBuilder page) {
        entry(
                key.key(),
                text + " Holds " + key.wanted() + "."
                        + (key.isOfSources() ? " Each [[source]] may have its own." : "")
                        + (key.isReread() ? " Changes with a reload." : ""),
                page);
    }

    private static CommandSpec spec(CommandLine root, String name) {
        return Objects.requireNonNull(root.getSubcommands().get(name)).getCommandSpec();
    }

    /** Returns the page of exit codes. */
    static String exitCodes() {
        StringBuilder page = new StringBuilder("# Exit codes\n\n" + MADE);
        page.append("\n| command | exit codes |\n|---|---|\n");
        for (CommandSpec command : commands(root().getCommandSpec())) {
            String said = String.join(" ", command.usageMessage().description()) + " "
                    + String.join(" ", command.usageMessage().footer());
            Matcher codes = EXIT_CODES.matcher(
                    String.format(said).replaceAll("\\s+", " ").strip());
            if (codes.find()) {
                String cells = escaped(codes.group(1)).replaceAll("(^|; )(\\d+)(?= )", "$1**$2**");
                page.append("| `" + command.qualifiedName() + "` | " + cells + " |\n");
            }
        }
        return page.toString();
    }

    /** Returns the page of metrics. */
    static String metrics() throws IOException {
        StringBuilder page = new StringBuilder("# Metrics\n\n" + MADE);
        page.append("Bytes and seconds are base units. *NaN* is unknown, never 0.\n\n## A shipper\n\n");
        page.append("`ship --http` serves these at `/metrics`, as Prometheus and OpenMetrics write them.\n\n");
        table(
                page,
                "ship/src/main/java/io/chagres/ship/ShipMetrics.java",
                "cli/src/main/java/io/chagres/cli/http/ProcessNumbers.java",
                "cli/src/main/java/io/chagres/cli/ship/Reload.java",
                "cli/src/main/java/io/chagres/cli/ship/ArchivePlace.java");
        page.append("\n## A fleet\n\n`status STORE --serve` serves these for the hosts of an archive.\n\n");
        table(page, "cli/src/main/java/io/chagres/cli/status/FleetBoard.java");
        page.append("\n## A forwarder\n\n`forward --http` serves these.\n\n");
        table(page, "cli/src/main/java/io/chagres/cli/forward/ForwardBoard.java");
        return page.toString();
    }

    private static void table(StringBuilder page, String... sources) throws IOException {
        page.append("| metric | kind | |\n|---|---|---|\n");
        for (String source : sources) {
            Path file = Repository.root().resolve(source);
            String code = JOINED.matcher(Files.readString(file)).replaceAll("");
            for (MatchResult metric : METRIC.matcher(code).results().toList()) {
                String kind =
                        switch (metric.group(1)) {
                            case "counter" -> "counter";
                            case "durations" -> "histogram";
                            default -> "gauge";
                        };
                String name = metric.group(2) + (kind.equals("counter") ? "_total" : "");
                page.append("| `" + name + "` | " + kind + " | " + escaped(metric.group(3)) + " |\n");
            }
        }
    }
}
