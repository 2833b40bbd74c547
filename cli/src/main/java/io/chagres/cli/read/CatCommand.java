package io.chagres.cli.read;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.TimedLines;
import io.chagres.archive.query.OrderedOutput;
import io.chagres.archive.query.QueriedFile;
import io.chagres.archive.query.QueriedHost;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Lookahead;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.Output;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.text.ByteRange;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres cat}: writes the bytes of files to standard output. */
@Command(
        name = "cat",
        header = "Write the bytes of files to standard output.",
        description =
                "Files follow each other in the order of their hosts and paths; hosts are read beside each other.",
        footer = {
            "",
            "Examples:",
            "  chagres cat /mnt/archive web1:/var/log/app.log",
            "  chagres cat /mnt/archive 'web*:*/app.log' --since 10m",
            "  chagres cat /mnt/archive 'web*:*/app.log' --line-since 09:00 --line-until 09:30",
            "  chagres cat /mnt/archive '*:*/app.log' --names | grep timeout",
            "  chagres cat /mnt/archive web1:/var/log/app.log --bytes 1MiB-2MiB",
            "  chagres cat /mnt/archive web1:/var/log/app.log --salvage",
            "",
            "Exit codes: 0 done; 1 something could not be read; 2 usage."
        })
public final class CatCommand implements Callable<Integer> {
    private static final int LINES_BYTES = 64 * 1024;

    private final CommandContext context;
    private final ExpiredNote expired = new ExpiredNote("cat");
    private Lookahead lookahead = Lookahead.NONE;

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Parameters(index = "1", paramLabel = "HOST:/GLOB", description = Arguments.ADDRESS)
    Address address = Address.parse("*:");

    @Option(
            names = "--bytes",
            paramLabel = "A-B",
            description = "Only positions from A up to, not including, B; A- to the end, -N the last N bytes.")
    ByteRange bytes = ByteRange.ALL;

    @Option(names = "--names", description = "Write host:path: before each line.")
    boolean names;

    @Mixin
    SalvageOption salvage = new SalvageOption();

    @Mixin
    LineTimeOptions lineTimes = new LineTimeOptions();

    @Mixin
    ReadOptions reading = new ReadOptions();

    /** Makes the command; picocli fills its fields. */
    public CatCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        if (names && reading.json()) {
            throw new CommandFailure(ExitCode.USAGE, "--json names files already: leave out --names");
        }
        if (salvage.salvage && lineTimes.isGiven()) {
            throw new CommandFailure(ExitCode.USAGE, "--salvage gives all that is left, and so takes no --line-since");
        }
        lineTimes.check(context);
        try (ArchiveView view = reading.view("cat", store, context)) {
            List<HostRegistry.Owner> hosts = view.hosts(address);
            int readers = reading.readers(view);
            try (WorkerThreads threads = new WorkerThreads("cat-", readers)) {
                lookahead = view.lookahead(threads.workers());
                if (salvage.salvage || hosts.size() == 1) {
                    copyOneByOne(view, hosts);
                } else {
                    copyFleet(view, hosts, threads, readers);
                }
            }
            expired.print(context);
            lineTimes.say("cat", context);
            return view.exitCode();
        }
    }

    private ContentSink sink(Output out) {
        return reading.json()
                ? new ContentSink.Json(out)
                : names ? new ContentSink.Named(out) : new ContentSink.Raw(out);
    }

    private void copyOneByOne(ArchiveView view, List<HostRegistry.Owner> hosts) throws IOException {
        if (salvage.salvage) {
            view.salvage();
        }
        ContentSink sink = sink(context.out());
        for (QueriedHost host : view.select(hosts, address, false, ExtentFilter.ALL)) {
            view.faults().attempt(host.host(), () -> copy(view, host, sink));
        }
        sink.end();
    }

    /** Reads hosts beside each other; what they have comes in their order. */
    private void copyFleet(ArchiveView view, List<HostRegistry.Owner> hosts, Executor threads, int readers)
            throws IOException {
        AtomicLong files = new AtomicLong();
        Deque<Copying> running = new ArrayDeque<>();
        for (HostRegistry.Owner host : hosts) {
            running.add(new Copying(
                    host,
                    new OrderedOutput(context.out(), threads, printed -> files.addAndGet(copy(view, host, printed)))));
            if (running.size() > 2 * readers) {
                running.remove().finish(view);
            }
        }
        for (Copying each : running) {
            each.finish(view);
        }
        if (files.get() == 0) {
            throw view.nothing(address, "");
        }
    }

    /** A host whose files are read. */
    private record Copying(HostRegistry.Owner host, OrderedOutput task) {
        void finish(ArchiveView view) throws IOException {
            view.faults().attempt(host, task::finish);
        }
    }

    /** Writes what one host has; returns how many files. */
    private long copy(ArchiveView view, HostRegistry.Owner host, OrderedOutput printed) throws IOException {
        QueriedHost chosen = view.archive().host(host, view.query(List.of(address), false), ExtentFilter.ALL);
        Output out = new Output(printed);
        ContentSink sink = sink(out);
        try {
            return copy(view, chosen, sink);
        } finally {
            sink.end();
            out.flush();
            view.done(host);
        }
    }

    private long copy(ArchiveView view, QueriedHost host, ContentSink sink) throws IOException {
        long files = 0;
        try (VersionContent content =
                new VersionContent(view.store(), host.host().id(), host.state(), lookahead)) {
            for (Selection.Entry entry : host.files()) {
                files++;
                QueriedFile file = host.file(entry);
                long length = entry.version().length();
                long end = Math.min(host.window().end(entry.version()), bytes.endIn(length));
                noteExpired(file, bytes.startIn(length), end);
                long start = Math.max(file.start(), bytes.startIn(length));
                view.attempt(file, () -> copy(view, file, start, end, content, sink));
            }
        }
        return files;
    }

    private void copy(
            ArchiveView view, QueriedFile file, long start, long end, VersionContent content, ContentSink sink)
            throws IOException {
        TimedLines lines = lineTimes.of(file.version(), start, end, content);
        if (lines == null) {
            sink.copy(file, start, end, content, view);
            return;
        }
        MemorySegment piece = MemorySegment.ofArray(new byte[LINES_BYTES]);
        while (lines.next()) {
            long position = lines.position();
            for (int got = lines.read(piece); got > 0; got = lines.read(piece)) {
                sink.write(file, position, piece.asSlice(0, got));
                position += got;
            }
        }
        lineTimes.note(file, lines);
    }

    private void noteExpired(QueriedFile file, long asked, long end) throws CommandFailure {
        long start = file.version().expiredBytes();
        if (reading.times.since != null || asked >= start || asked >= end) {
            return;
        }
        if (end <= start) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    file + ": bytes " + asked + " to " + end + " were expired by --retain; what is kept begins at byte "
                            + start);
        }
        expired.add(file.toString(), file.version(), asked);
    }
}
