package io.chagres.cli.read;

import io.chagres.archive.find.LinePattern;
import io.chagres.archive.query.FleetSearch;
import io.chagres.archive.query.Query;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.RowSorter;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.Output;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.command.WorkerThreads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code chagres grep}: finds matching lines, also in files that no longer exist. */
@Command(
        name = "grep",
        header = "Find lines in files, also in those that are gone.",
        description = "Prints host:path:line in the order of hosts and paths. Options mean what they mean to ripgrep;"
                + " patterns are regular expressions of Java, which also take [[:alpha:]]. Hosts are read beside each"
                + " other; one that is damaged is named, and the others are searched. Exit codes: 0 something was"
                + " found; 1 nothing; 2 something could not be read.",
        exitCodeOnExecutionException = GrepOptions.TROUBLE,
        footer = {
            "",
            "Examples:",
            "  chagres grep 'status=50[0-9]' /mnt/archive 'web*:*/app.log' --since 1h",
            "  chagres grep -F -l 7f3a9c21 /mnt/archive",
            "  chagres grep Exception /mnt/archive web1: --line-since 09:00 --line-until 09:30",
            "  chagres grep -n -C 2 -w ERROR /mnt/archive web1:/var/log db1:/var/log"
        })
public final class GrepCommand implements Callable<Integer> {
    private static final int NOTHING = 1;

    private final CommandContext context;

    @Parameters(
            arity = "0..*",
            paramLabel = "PATTERN STORE HOST:/GLOB",
            description = "What to find, the archive, and which files of it (default: all).")
    List<String> arguments = List.of();

    @Mixin
    GrepOptions options = new GrepOptions();

    @Mixin
    ReadOptions reading = new ReadOptions();

    /** Makes the command; picocli fills its fields. */
    public GrepCommand(CommandContext context) {
        this.context = context;
    }

    /** Takes an option several times: the last one counts. Takes {@code -e} with a pattern that looks like one. */
    public static void parseAsRipgrep(CommandLine grep) {
        grep.setOverwrittenOptionsAllowed(true);
        grep.setAllowOptionsAsOptionParameters(true);
    }

    @Override
    public Integer call() throws IOException {
        List<String> rest = new ArrayList<>(arguments);
        if (rest.size() < (options.hasPattern() ? 1 : 2)) {
            throw new CommandFailure(
                    ExitCode.USAGE, "the archive is missing: chagres grep PATTERN STORE [HOST:/GLOB...]");
        }
        LinePattern pattern = options.pattern(options.hasPattern() ? null : rest.removeFirst());
        String store = rest.removeFirst();
        List<Address> addresses = addresses(rest);
        FleetSearch.Wanted wanted = options.wanted(pattern, reading.json());
        options.lineTimes.check(context);
        if (options.perl) {
            context.err()
                    .println("chagres grep: -P changes nothing: patterns are those of Java, which look around and back"
                            + " without it");
        }
        long startMs = context.clock().millis();
        LocalTables tables = TemporaryFiles.tables(context.environment());
        try (ArchiveView view =
                ArchiveView.once("grep", reading.open(store, context), reading.times, tables, context.err()::println)) {
            int count = reading.readers(view);
            try (RowSorter sorter = options.sort == GrepOptions.Sort.TIME ? tables.sorter() : null;
                    WorkerThreads threads = new WorkerThreads("grep-", count)) {
                GrepPrinter printer = new GrepPrinter(options, colored(), reading.json(), sorter, view::note);
                FleetSearch search =
                        search(view, addresses, wanted, options, printer, threads.workers(), context.out());
                if (sorter != null) {
                    TimedSink.print(sorter, context.out());
                }
                if (options.stats) {
                    stats(printer.count(), context.clock().millis() - startMs);
                }
                context.out().flush(); // here its failure is trouble, not that nothing was found
                options.lineTimes.say("grep", context);
                int failed = view.faults().count();
                boolean found = options.filesWithout ? search.without() : search.found();
                return failed > 0 && !(options.quiet && found) ? GrepOptions.TROUBLE : found ? ExitCode.DONE : NOTHING;
            }
        }
    }

    /**
     * Searches everything that is chosen.
     *
     * @throws CommandFailure when that is nothing
     */
    static FleetSearch search(
            ArchiveView view,
            List<Address> addresses,
            FleetSearch.Wanted wanted,
            GrepOptions options,
            GrepPrinter printer,
            Workers workers,
            Output out)
            throws IOException {
        Query query = view.query(addresses, false).where(options.files());
        FleetSearch search = new FleetSearch(view.archive(), view.faults(), query, wanted, printer, out);
        if (!search.run(view.hostsOf(query), workers, view.lookahead(workers))) {
            String globs = options.globs.isEmpty() ? "" : " and -g " + String.join(" -g ", options.globs);
            String asked = addresses.isEmpty() ? "*:" : addresses.getFirst().toString();
            throw new CommandFailure(GrepOptions.TROUBLE, view.nothing(asked, globs));
        }
        return search;
    }

    private void stats(SearchCount count, long elapsedMs) throws IOException {
        if (reading.json()) {
            context.out().line(count.json(elapsedMs));
            return;
        }
        for (String line : count.lines(elapsedMs)) {
            context.out().line(line);
        }
    }

    private static List<Address> addresses(List<String> texts) throws CommandFailure {
        try {
            return texts.stream().map(Address::parse).toList();
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    private boolean colored() {
        return switch (options.color) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> context.isColored();
        };
    }
}
