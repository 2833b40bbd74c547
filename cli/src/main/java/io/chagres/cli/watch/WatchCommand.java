package io.chagres.cli.watch;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.OutputOptions;
import io.chagres.linux.Pathname;
import io.chagres.watch.DirectoryWatcher;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres watch}: prints every event of a tree, one line each, until it is interrupted. */
@Command(
        name = "watch",
        header = "Print every change below a path, one line each.",
        description = "Prints CREATE, MODIFY, CLOSE, ATTRIB, RENAME (with both names), DELETE, MOVED_OUT and OVERFLOW."
                + " Names that are there at the start are not printed, nor are names that come and go faster than they"
                + " can be looked at. With --json a path with bytes that are not shown as they are, or with characters"
                + " of globs, stands also as the glob that matches it alone: pathGlob, toGlob.",
        footer = {
            "",
            "Examples:",
            "  chagres watch /var/log",
            "  chagres watch '/srv/*/logs' --coalesce 0 --json",
            "",
            "Exit codes: 0 ended by a signal; 1 failed; 2 usage."
        })
public final class WatchCommand implements Callable<Integer> {
    private static final int STEP_MS = 1000;

    private final CommandContext context;

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "A file, a directory or a quoted glob.")
    List<String> paths = List.of();

    @Option(
            names = "--coalesce",
            paramLabel = "DURATION",
            defaultValue = "20ms",
            description = "Collect events this long before printing them (default: ${DEFAULT-VALUE}).")
    Duration coalesce = Duration.ZERO;

    @Option(names = "--poll", paramLabel = "DURATION", description = "Also list every directory this often.")
    @Nullable
    Duration poll;

    @Mixin
    OutputOptions output = new OutputOptions();

    private volatile boolean stopped;

    /** Makes the command; picocli fills its fields. */
    public WatchCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        Pathname[] roots = new Pathname[paths.size()];
        for (int i = 0; i < roots.length; i++) {
            roots[i] = Pathname.of(paths.get(i)).absolute();
        }
        try (DirectoryWatcher watcher = DirectoryWatcher.builder(roots)
                .clock(context.clock())
                .coalesceMs(Math.toIntExact(coalesce.toMillis()))
                .pollIntervalMs(poll == null ? 0 : poll.toMillis())
                .open()) {
            context.termination().onSignal(() -> {
                stopped = true;
                watcher.wakeup();
            });
            print(watcher);
        }
        return ExitCode.DONE;
    }

    private void print(DirectoryWatcher watcher) throws IOException {
        WatchLines lines = new WatchLines(context.out(), context.err(), output.json);
        while (!stopped) {
            watcher.poll(STEP_MS, lines);
            lines.flush();
            if (!lines.started() && !watcher.scanning()) {
                lines.start();
                if (!output.quiet) {
                    context.err().println("watching " + String.join(", ", paths));
                }
            }
        }
    }
}
