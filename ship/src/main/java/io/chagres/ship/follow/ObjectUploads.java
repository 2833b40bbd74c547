package io.chagres.ship.follow;

import io.chagres.archive.Codec;
import io.chagres.archive.log.ObjectWriter;
import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.commit.StoreHealth;
import io.chagres.ship.file.Stage;
import io.chagres.ship.file.Tail;
import io.chagres.ship.file.TailFact;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Uploads large backlogs as data objects, several in flight, and hands them back in the order of their positions. The
 * objects count only once a commit refers to them; an object that is dropped here is only garbage in the store.
 * Confined to the shipper's thread; only the uploads run beside it.
 */
public final class ObjectUploads {
    /** A backlog of at least this many bytes is worth an object of its own. */
    static final long MIN_BYTES = 1L << 20;
    /** Bytes of a file that one object holds at most. */
    private static final long MAX_BYTES = 64L << 20;

    private static final int IN_FLIGHT = 4;
    /** Takes a finished object in order, or null when the file did not give its bytes; returns whether they count. */
    @FunctionalInterface
    public interface Taker {
        /** Takes one. */
        boolean take(Tail tail, ObjectWriter.@Nullable Written object);
    }

    /** One object on its way: a range of one version. */
    private static final class Job {
        final Tail tail;
        final long start;
        final long length;
        long retryAtMs;
        boolean running;
        /** Whether it is known when the store was asked. */
        boolean noted;

        boolean dropped;
        boolean answered;
        /** When its answer was first looked at; 0 before. */
        long answeredMs;

        /** The object, which is durable; null when the file did not give its bytes. */
        ObjectWriter.@Nullable Written result;

        @Nullable
        IOException failure;

        Job(Tail tail, long start, long length) {
            this.tail = tail;
            this.start = start;
            this.length = length;
        }

        void answer(ObjectWriter.@Nullable Written object, @Nullable IOException cause) {
            result = object;
            failure = cause;
            answered = true;
        }

        /** Makes ready for another try. */
        void again() {
            answer(null, null);
            answered = false;
            running = false;
            noted = false;
            answeredMs = 0;
        }
    }

    private final BlobStore store;
    private final String hostId;
    private final int level;
    private final Offload offload;
    private final StoreHealth health;
    private final List<Job> all = new ArrayList<>(); // in the order of their start
    private final long maxBytes;

    /** Begins with nothing in flight, which stays within some memory. */
    public ObjectUploads(
            BlobStore store, String hostId, int level, long memoryBytes, Offload offload, StoreHealth health) {
        this.store = store;
        this.hostId = hostId;
        this.level = level;
        this.offload = offload;
        this.health = health;
        long room = store.traits().holdsWritesInMemory() ? memoryBytes / (2 * IN_FLIGHT) : MAX_BYTES;
        maxBytes = Math.clamp(Math.min(room, store.traits().maxObjectBytes()), MIN_BYTES, MAX_BYTES);
    }

    /** Returns how many bytes of a file one object may hold: those in flight stay within half of the memory. */
    long maxBytes() {
        return maxBytes;
    }

    /** Says whether nothing is in flight. */
    public boolean isIdle() {
        return all.isEmpty();
    }

    /** Says whether another object may start. */
    boolean hasRoom() {
        return all.size() < IN_FLIGHT;
    }

    /** Starts an object of the bytes {@code [dispatched, end)}; the range is at most {@link #maxBytes}. */
    public void start(Tail tail, long end) {
        Job job = new Job(tail, tail.bytes().dispatched(), end - tail.bytes().dispatched());
        tail.enter(Stage.UPLOADING);
        tail.bytes().dispatch(end);
        all.add(job);
        submit(job);
    }

    private void submit(Job job) {
        job.running = true;
        Fd source = Objects.requireNonNull(job.tail.fd());
        long versionId = job.tail.versionId;
        long mtimeNs = job.tail.bytes().mtimeNs();
        ObjectWriter.Range range = new ObjectWriter.Range(versionId, job.start, job.length, mtimeNs);
        Codec codec = job.tail.rules().codec();
        offload.start(
                () -> Optional.ofNullable(ObjectWriter.write(store, hostId, range, source, codec, level)),
                object -> job.answer(object.orElse(null), null),
                e -> job.answer(null, e instanceof ErrnoException ? null : e)); // what the store refuses is another one
    }

    /** Takes the answers that have come; returns whether any tail moved. */
    public boolean step(long nowMs, Taker taker) {
        boolean any = false;
        boolean moved = !all.isEmpty();
        while (moved) {
            moved = false;
            for (Job job : List.copyOf(all)) {
                if (!job.running && nowMs >= job.retryAtMs) {
                    submit(job);
                } else if (job.running && job.answered) {
                    moved |= answered(job, nowMs, taker);
                } else if (job.running && !job.noted) {
                    job.noted = true;
                    health.asked(job, job.length, nowMs);
                }
            }
            any |= moved;
        }
        return any;
    }

    private boolean answered(Job job, long nowMs, Taker taker) {
        Tail tail = job.tail;
        health.answered(job);
        if (!tail.isLive() || job.dropped) {
            health.dropped(job);
            all.remove(job);
            return true;
        }
        IOException failure = job.failure;
        if (failure != null) {
            job.again();
            job.retryAtMs = nowMs + health.refused(job, failure, nowMs);
            return false;
        }
        if (job.answeredMs == 0) {
            job.answeredMs = nowMs;
            if (job.result == null) {
                health.dropped(job);
            } else {
                health.accepted(job, nowMs);
            }
        }
        if (nowMs - job.answeredMs > CommitPipeline.OBJECTS_WAIT_MS) { // it waited for one before it; it may be gone
            job.again();
            return true;
        }
        if (first(tail) != job) {
            return false;
        }
        all.remove(job);
        ObjectWriter.Written object = job.result;
        tail.set(TailFact.IN_PIECES, object == null);
        if (!taker.take(tail, object) || object == null || object.run().length() < job.length) {
            drop(tail);
        } else if (first(tail) == null) {
            tail.enter(Stage.FOLLOWING);
        }
        return true;
    }

    /** Forgets the uploads under way for a tail; its position stays where the commits are. */
    void drop(Tail tail) {
        for (Job job : all) {
            if (job.tail == tail) {
                job.dropped = true;
                health.dropped(job);
            }
        }
        all.removeIf(job -> job.dropped && !job.running);
        tail.bytes().dispatch(tail.bytes().position());
        if (tail.stage() == Stage.UPLOADING) {
            tail.enter(Stage.FOLLOWING);
        }
    }

    /** Forgets them likewise, unless the file is being read for one just now, or one is stored; says whether it did. */
    public boolean tryDrop(Tail tail) {
        for (Job job : all) {
            if (job.tail == tail && job.running && job.failure == null) {
                return false;
            }
        }
        drop(tail);
        return true;
    }

    /** Returns the milliseconds until a refused object is tried again; {@link Long#MAX_VALUE} when none waits. */
    public long dueInMs(long nowMs) {
        long due = Long.MAX_VALUE;
        for (int i = 0; i < all.size(); i++) { // asked in each step: no iterator
            Job job = all.get(i);
            if (!job.running) {
                due = Math.min(due, Math.max(0, job.retryAtMs - nowMs));
            }
        }
        return due;
    }

    /** Returns the first job of a tail that is not taken yet. */
    private @Nullable Job first(Tail tail) {
        for (Job job : all) {
            if (job.tail == tail && !job.dropped) {
                return job;
            }
        }
        return null;
    }
}
