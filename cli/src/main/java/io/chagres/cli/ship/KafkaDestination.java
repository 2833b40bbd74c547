package io.chagres.cli.ship;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.SentGarbage;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.text.ByteSize;
import io.chagres.forward.ForwardListener;
import io.chagres.forward.ForwardOptions;
import io.chagres.forward.Forwarder;
import io.chagres.forward.Progress;
import io.chagres.forward.Sink;
import io.chagres.forward.SinkException;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.ship.ShipStatus;
import io.chagres.ship.Shipper;
import io.chagres.ship.Undelivered;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ships through a spool into Kafka: a thread beside the shipper publishes what is in the spool, says how far it is, and
 * makes room. The fields shared with that thread are volatile or safe for any.
 */
final class KafkaDestination implements Destination, ForwardListener {
    private static final long LINE_AGE_MS = 10_000;
    private static final Duration END = Duration.ofSeconds(2);
    private static final long COMPACTION_MEMORY_BYTES = 16L << 20;

    private final CommandContext context;
    private final ShipReport report;
    private final Spool spool;
    private final Sink sink;
    private final boolean once;
    private final BlobStore archive; // of the thread
    private @Nullable Forwarder forwarder; // while it runs
    private @Nullable Thread thread;
    private @Nullable Shipper shipper;
    private @Nullable Undelivered undelivered;
    private volatile boolean begun;
    private volatile boolean accepted;
    private boolean hurried;
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;
    private String problem = ""; // of the thread, as is what follows
    private final SentGarbage garbage = new SentGarbage();
    private boolean told;

    /**
     * Opens no connection yet.
     *
     * @param sink closed with this
     * @param once whether a Kafka that does not answer is waited for no longer than a drain
     */
    KafkaDestination(CommandContext context, ShipReport report, Spool spool, Sink sink, boolean once)
            throws IOException {
        this.context = context;
        this.report = report;
        this.spool = spool;
        this.sink = sink;
        this.once = once;
        archive = spool.archive();
        spool.measure(archive);
    }

    @Override
    public BlobStore open() throws IOException {
        return new SpoolStore(spool.archive(), spool, this::waits);
    }

    /** Before the thread began nothing would make room: the shipper could not even begin. */
    private boolean waits() {
        return begun && undelivered != null && undelivered.bytes() != 0;
    }

    @Override
    public void begin(Shipper of) {
        Undelivered rest = Undelivered.ofSpool(this::hurry);
        shipper = of;
        undelivered = rest;
        of.deliver(rest);
        Thread started = new Thread(() -> run(of, rest), "chagres-delivery");
        started.setDaemon(true);
        thread = started;
        begun = true;
        started.start();
    }

    private synchronized void hurry(boolean now) {
        hurried = now;
        if (forwarder != null) {
            forwarder.hurry(now);
        }
    }

    private synchronized void runs(@Nullable Forwarder now) {
        forwarder = now;
        hurry(hurried);
    }

    private synchronized void stop() {
        stopped = true;
        if (forwarder != null) {
            forwarder.wakeup();
        }
    }

    private void run(Shipper of, Undelivered rest) {
        HostFaults faults = new HostFaults(archive, this::fault);
        try (LocalTables tables = TemporaryFiles.tablesOfFollower(context.environment());
                Forwarder from = new Forwarder(
                        archive,
                        Address.parse("*:"),
                        ForwardOptions.lines(LINE_AGE_MS, tables),
                        sink,
                        faults,
                        MonotonicClock::nowMs,
                        this)) {
            runs(from);
            try {
                deliver(from, of, rest);
            } finally {
                runs(null);
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = e; // said by the shipper's thread
        }
    }

    private void deliver(Forwarder from, Shipper of, Undelivered rest) throws IOException {
        while (!stopped) {
            boolean more = from.step();
            Progress progress = from.progress(of.hostId());
            if (progress != null) {
                accepted = true; // it answered this forwarder, and said where it stands
                rest.delivered(progress.seq(), progress.leftBytes());
                makeRoom(from, progress);
            }
            if (!more) {
                from.await();
            }
        }
    }

    private void makeRoom(Forwarder from, Progress progress) throws IOException {
        if (spool.isDue(progress.seq())) {
            spool.compact(archive, from, progress.seq(), COMPACTION_MEMORY_BYTES, context.clock());
            from.reload();
        }
    }

    @Override
    public boolean hasAccepted(ShipStatus status) {
        return accepted && Destination.super.hasAccepted(status);
    }

    @Override
    public void check() throws IOException {
        switch (failure) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    @Override
    public void committed(HostRegistry.Owner host, long records, long bytes) {
        garbage.sent(records, bytes);
        if (!problem.isEmpty()) {
            problem = "";
            report.message("Kafka takes lines again");
        }
    }

    @Override
    public void retried(HostRegistry.Owner host, SinkException cause) {
        String said = String.valueOf(cause.getMessage());
        if (!problem.equals(said)) {
            problem = said;
            report.message(said + "; nothing is lost while the spool stays, trying again");
        }
        if (once && !told) {
            told = true;
            Objects.requireNonNull(shipper).requestDrain(); // whose time is bounded
        }
    }

    @Override
    public void expired(HostRegistry.Owner host, Pathname path, long start, long end) {
        report.message(path + ": bytes " + start + " to " + end + " left the spool before they were published");
    }

    private void fault(HostRegistry.Owner host, IOException cause) {
        failure = new IOException(
                "the spool " + spool.directory() + " cannot be read: " + cause.getMessage()
                        + ". What Kafka has not got is in it; 'chagres verify' tells more",
                cause);
    }

    @Override
    public void close() {
        long left = undelivered == null ? 0 : undelivered.bytes();
        if (left != 0) {
            report.message("Kafka has not got " + (left < 0 ? "all" : ByteSize.format(left))
                    + " of what is in the spool " + spool.directory() + "; keep it for the next start");
        }
        if (thread == null || ended(thread)) { // else it waits for Kafka, and ends with the process
            sink.close();
            archive.close();
        }
    }

    private boolean ended(Thread running) {
        stop();
        try {
            return running.join(END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
