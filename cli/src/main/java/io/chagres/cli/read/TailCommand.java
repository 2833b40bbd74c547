package io.chagres.cli.read;

import io.chagres.archive.find.TimedLines;
import io.chagres.archive.follow.ArchiveFollower;
import io.chagres.archive.query.QueriedFile;
import io.chagres.archive.query.QueriedHost;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Lookahead;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.LocalTables;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.linux.MonotonicClock;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres tail}: writes the last lines of files, and with {@code -f} what is committed from then on. */
@Command(
        name = "tail",
        header = "Write the last lines of files, and follow them.",
        description = "With -f it follows files across rotation: the rest of the old file, then the new one. Files that"
                + " appear later are written whole; it waits when nothing matches yet.",
        footer = {
            "",
            "Examples:",
            "  chagres tail /mnt/archive 'web1:*/app.log' -n 100",
            "  chagres tail -f /mnt/archive 'web*:*/app.log'",
            "  chagres tail /mnt/archive web1:/var/log/app.log --line-until 09:30",
            "",
            "Exit codes: 0 done; 1 something could not be read; 2 usage."
        })
public final class TailCommand implements Callable<Integer> {
    private static final int BLOCK_BYTES = 64 * 1024;

    private final CommandContext context;
    private final MemorySegment piece = MemorySegment.ofArray(new byte[BLOCK_BYTES]);
    private final ExpiredNote expired = new ExpiredNote("tail");

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Parameters(index = "1", paramLabel = "HOST:/GLOB", description = Arguments.ADDRESS)
    Address address = Address.parse("*:");

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            defaultValue = "10",
            description = "How many lines (default: ${DEFAULT-VALUE}).")
    long lines;

    @Option(
            names = {"-f", "--follow"},
            description = "Continue with what is committed later, until interrupted.")
    boolean follow;

    @Mixin
    LineTimeOptions lineTimes = new LineTimeOptions();

    @Mixin
    ReadOptions reading = new ReadOptions();

    /** Makes the command; picocli fills its fields. */
    public TailCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        if (lines < 0) {
            throw new CommandFailure(ExitCode.USAGE, "-n must not be negative");
        }
        if (follow && (reading.times.at != null || reading.times.until != null)) {
            throw new CommandFailure(
                    ExitCode.USAGE, "-f follows what is committed from now on: leave out --at, --until");
        }
        if (follow && lineTimes.isGiven()) {
            throw new CommandFailure(
                    ExitCode.USAGE, "-f follows what is committed from now on: leave out --line-since, --line-until");
        }
        lineTimes.check(context);
        try (ArchiveView view = follow
                ? ArchiveView.open(
                        "tail",
                        reading.open(store, context),
                        reading.times,
                        TemporaryFiles.tables(context.environment()),
                        context.err()::println)
                : reading.view("tail", store, context)) {
            List<QueriedHost> hosts = follow ? view.find(address) : view.select(address, false, ExtentFilter.ALL);
            boolean many = hosts.stream()
                            .flatMap(host -> host.files().stream())
                            .limit(2)
                            .count()
                    > 1;
            ContentSink sink =
                    reading.json() ? new ContentSink.Json(context.out()) : new ContentSink.Headed(context.out(), many);
            try (WorkerThreads threads = new WorkerThreads("tail-", reading.readers(view))) {
                Lookahead lookahead = view.lookahead(threads.workers());
                for (QueriedHost host : hosts) {
                    view.faults().attempt(host.host(), () -> last(view, host, lookahead, sink));
                }
            }
            expired.print(context);
            lineTimes.say("tail", context);
            if (follow) {
                follow(view, hosts, sink);
            }
            return view.exitCode();
        }
    }

    private void last(ArchiveView view, QueriedHost host, Lookahead lookahead, ContentSink sink) throws IOException {
        String hostId = host.host().id();
        try (VersionContent content = new VersionContent(view.store(), hostId, host.state(), lookahead);
                LastLines finder = new LastLines(BLOCK_BYTES)) {
            for (Selection.Entry entry : host.files()) {
                QueriedFile file = host.file(entry);
                view.attempt(file, () -> last(view, file, content, finder, sink));
            }
        }
    }

    private void last(ArchiveView view, QueriedFile file, VersionContent content, LastLines finder, ContentSink sink)
            throws IOException {
        if (lineTimes.isGiven()) {
            lastOfTime(view, file, content, finder, sink);
            return;
        }
        FileVersion version = file.version();
        long start = finder.start(new Bytes(content, version), file.start(), file.end(), lines);
        if (lines > 0 && start < file.end() && start == version.expiredBytes() && start > 0) {
            expired.add(file.toString(), version, 0);
        }
        sink.copy(file, start, file.end(), content, view);
    }

    /** Lines that follow each other: from one position up to another. */
    private record Run(long start, long end, long lines) {}

    /** Reads the range once to find the lines of the window, and then writes the last of them. */
    private void lastOfTime(
            ArchiveView view, QueriedFile file, VersionContent content, LastLines finder, ContentSink sink)
            throws IOException {
        FileVersion version = file.version();
        TimedLines found = Objects.requireNonNull(lineTimes.of(version, file.start(), file.end(), content));
        Deque<Run> runs = new ArrayDeque<>();
        long count = 0;
        while (found.next()) {
            Run run = run(found);
            runs.add(run);
            count += run.lines;
            while (count - runs.getFirst().lines >= lines) {
                count -= runs.remove().lines;
                if (runs.isEmpty()) {
                    break;
                }
            }
        }
        long surplus = Math.max(0, count - lines); // of the first run
        for (Run run : runs) {
            long start = finder.start(new Bytes(content, version), run.start, run.end, run.lines - surplus);
            surplus = 0;
            sink.copy(file, start, run.end, content, view);
        }
        lineTimes.note(file, found);
    }

    private Run run(TimedLines found) {
        long start = found.position();
        long end = start;
        long newlines = 0;
        byte last = '\n';
        for (int got = found.read(piece); got > 0; got = found.read(piece)) {
            for (int i = 0; i < got; i++) {
                newlines += piece.get(ValueLayout.JAVA_BYTE, i) == '\n' ? 1 : 0;
            }
            last = piece.get(ValueLayout.JAVA_BYTE, got - 1);
            end += got;
        }
        return new Run(start, end, newlines + (last == '\n' ? 0 : 1));
    }

    /** The content of a version; its holes need not be read. */
    private record Bytes(VersionContent content, FileVersion version) implements LastLines.Source {
        @Override
        public void read(long position, MemorySegment target) throws IOException {
            content.readFully(version, position, target);
        }

        @Override
        public long blankFrom(long end) {
            return Extents.holeStart(version, end);
        }
    }

    private void follow(ArchiveView view, List<QueriedHost> hosts, ContentSink sink) throws IOException {
        try (LocalTables tables = TemporaryFiles.tablesOfFollower(context.environment());
                ArchiveFollower follower =
                        new ArchiveFollower(view.store(), address, MonotonicClock::nowMs, view.faults(), tables)) {
            for (QueriedHost host : hosts) {
                follower.from(host.host(), host.state(), host.files());
            }
            AtomicBoolean stopped = new AtomicBoolean();
            context.termination().onSignal(() -> {
                stopped.set(true);
                follower.wakeup();
            });
            do {
                follower.step((host, path, version, start, end, content) ->
                        sink.copy(new QueriedFile(host, path, true, version, start, end), start, end, content, view));
                context.out().flush();
                follower.await();
            } while (!stopped.get());
        }
    }
}
