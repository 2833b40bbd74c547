package io.chagres.ship;

import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.ObjectWriter;
import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Uploads large backlogs as data objects, several in flight, and hands them back in the order of their positions. The
 * objects count only once a commit refers to them; what is dropped here is garbage in the store and no more. Confined
 * to the shipper's thread; only the uploads run on the executor.
 */
final class ObjectUploads {
    /** A backlog of at least this many bytes is worth an object of its own. */
    static final long MIN_BYTES = 1L << 20;
    /** Bytes of a file that one object holds at most. */
    private static final long MAX_BYTES = 64L << 20;

    private static final int IN_FLIGHT = 4;

    /** Takes a finished object in order; returns false when the file does not hold its bytes any more. */
    @FunctionalInterface
    interface Taker {
        boolean take(Tail tail, LogRecord.ObjectRun run);
    }

    private final BlobStore store;
    private final String hostId;
    private final ShipOptions options;
    private final Executor executor;
    private final Runnable wakeup;
    private final StoreHealth health;
    private final List<ObjectJob> all = new ArrayList<>();
    private final long maxBytes;

    ObjectUploads(
            BlobStore store,
            String hostId,
            ShipOptions options,
            Executor executor,
            Runnable wakeup,
            StoreHealth health) {
        this.store = store;
        this.hostId = hostId;
        this.options = options;
        this.executor = executor;
        this.wakeup = wakeup;
        this.health = health;
        maxBytes = store.holdsWritesInMemory()
                ? Math.clamp(options.memoryBytes() / (2 * IN_FLIGHT), MIN_BYTES, MAX_BYTES)
                : MAX_BYTES;
    }

    /** Returns how many bytes of a file one object may hold: those in flight stay within half of the memory. */
    long maxBytes() {
        return maxBytes;
    }

    /** Returns how objects hold their bytes. */
    Codec codec() {
        return options.codec();
    }

    boolean isIdle() {
        return all.isEmpty();
    }

    /** Says whether another object may start. */
    boolean hasRoom() {
        return all.size() < IN_FLIGHT;
    }

    /** Starts an object of the bytes {@code [tail.bytes.dispatched(), end)}; the range is at most {@link #maxBytes}. */
    void start(Tail tail, long end) {
        ObjectJob job = new ObjectJob(tail, tail.bytes.dispatched(), end - tail.bytes.dispatched());
        if (tail.jobs == null) {
            tail.jobs = new ArrayDeque<>(IN_FLIGHT);
        }
        tail.jobs.add(job);
        tail.bytes.dispatch(end);
        all.add(job);
        submit(job);
    }

    private void submit(ObjectJob job) {
        job.running = true;
        Fd source = Objects.requireNonNull(job.tail.fd());
        long versionId = job.tail.versionId;
        long mtimeNs = job.tail.bytes.mtimeNs();
        executor.execute(() -> {
            try {
                job.succeed(ObjectWriter.write(
                        store,
                        hostId,
                        new ObjectWriter.Range(versionId, job.start, job.length, mtimeNs),
                        source,
                        options.codec(),
                        options.level()));
            } catch (IOException | RuntimeException e) {
                job.fail(e);
            }
            wakeup.run();
        });
    }

    /** Takes the answers that have come; returns whether any tail moved. */
    boolean step(long nowMs, Taker taker) {
        boolean any = false;
        boolean moved = !all.isEmpty();
        while (moved) {
            moved = false;
            for (ObjectJob job : List.copyOf(all)) {
                if (!job.running && nowMs >= job.retryAtMs) {
                    submit(job);
                } else if (job.running && job.answered()) {
                    moved |= answered(job, nowMs, taker);
                }
            }
            any |= moved;
        }
        return any;
    }

    private boolean answered(ObjectJob job, long nowMs, Taker taker) {
        Tail tail = job.tail;
        if (!tail.isLive() || tail.jobs == null || !tail.jobs.contains(job)) {
            all.remove(job);
            return true;
        }
        IOException failure = job.failure();
        if (failure != null) {
            job.again();
            job.retryAtMs = nowMs + failed(tail, failure, nowMs);
            return false;
        }
        job.answeredMs = job.answeredMs == 0 ? nowMs : job.answeredMs;
        if (nowMs - job.answeredMs > CommitPipeline.OBJECTS_WAIT_MS) { // it waited for one before it; it may be gone
            job.again();
            return true;
        }
        if (tail.jobs.peekFirst() != job) {
            return false;
        }
        health.accepted();
        tail.jobs.removeFirst();
        all.remove(job);
        LogRecord.ObjectRun run = job.result();
        if (run == null || !taker.take(tail, run) || run.length() < job.length) {
            drop(tail);
        } else if (tail.jobs.isEmpty()) {
            tail.jobs = null;
        }
        return true;
    }

    /** Says why an object was not made and returns the milliseconds to wait before the next try. */
    private long failed(Tail tail, IOException failure, long nowMs) {
        if (failure instanceof ErrnoException ofTheFile) { // what the store refuses is another exception
            tail.refused(ofTheFile.errno(), health::problem);
            return Shipper.REFUSED_MS;
        }
        return health.refused(failure, nowMs);
    }

    /** Forgets what is under way for a tail; its position stays where the commits are. */
    void drop(Tail tail) {
        tail.jobs = null;
        tail.bytes.dispatch(tail.bytes.position());
        all.removeIf(job -> job.tail == tail && !job.running);
    }

    /** Returns the milliseconds until a refused object is tried again; {@link Long#MAX_VALUE} when none waits. */
    long dueInMs(long nowMs) {
        long due = Long.MAX_VALUE;
        for (int i = 0; i < all.size(); i++) { // asked in each step: no iterator
            ObjectJob job = all.get(i);
            if (!job.running) {
                due = Math.min(due, Math.max(0, job.retryAtMs - nowMs));
            }
        }
        return due;
    }

    /** Returns the jobs of a tail that are not taken yet. */
    static boolean pending(@Nullable Tail tail) {
        return tail != null && tail.jobs != null && !tail.jobs.isEmpty();
    }
}
