package io.chagres.ship;

import io.chagres.archive.LogRecord;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileIdentity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the queue of tails that have something to do and the files that lost their last name. Confined to the
 * shipper's thread; putting a known tail into the queue allocates nothing.
 */
final class FollowedFiles implements Names.Files, AutoCloseable {
    private final FileTable files;
    private final OpenFiles openFiles;
    private final Versions versions;
    private final ResumePoints resume;
    private final KnownNames known;
    private final CommitPipeline pipeline;
    private final DerivedFiles derived;
    private final ArrayDeque<Tail> ready = new ArrayDeque<>();
    private final ArrayDeque<Tail> deferred = new ArrayDeque<>();
    private final ArrayDeque<Tail> refused = new ArrayDeque<>();
    private final List<Tail> rotated = new ArrayList<>();
    private final List<Tail> heldBack = new ArrayList<>();
    private final Statx stat = new Statx();

    /** Whether resumed files are compared whole before they go on: the machine went down uncleanly. */
    boolean wholePrefix;

    /** Whether the shipper before this one had compared everything, so that what looks unchanged is proven. */
    boolean closedCleanly;

    /** Whether files seen for the first time begin at their end. */
    boolean startAtEnd;

    FollowedFiles(
            FileTable files,
            OpenFiles openFiles,
            Versions versions,
            ResumePoints resume,
            KnownNames known,
            CommitPipeline pipeline,
            DerivedFiles derived) {
        this.files = files;
        this.openFiles = openFiles;
        this.versions = versions;
        this.resume = resume;
        this.known = known;
        this.pipeline = pipeline;
        this.derived = derived;
    }

    @Override
    public void found(Dentry name, Fd fd, FileIdentity identity, long device, Statx stat) {
        Tail tail = files.find(identity, device);
        if (tail == null) {
            tail = begin(name.path(), identity, device, stat);
        } else if (!tail.hasName()) {
            rotated.remove(tail);
        }
        if (tail.fd() == null) {
            openFiles.attach(tail, fd);
        } else {
            fd.close();
        }
        name.attach(tail);
        tail.addName(name);
        if (!known.seenFile(name.path(), tail.versionId)) {
            pipeline.filling()
                    .records()
                    .write(new LogRecord.NameAdded(
                            name.path(), LogRecord.Kind.FILE, tail.versionId, Pathname.of(""), tail.recorded()));
        }
        enqueue(tail);
    }

    @Override
    public void departed(Pathname from, Fd fd, FileIdentity identity, long device, Statx stat) {
        Tail known = files.find(identity, device);
        if (known != null && known.fd() != null) {
            fd.close();
            return;
        }
        Tail tail = known == null ? begin(from, identity, device, stat) : known;
        openFiles.attach(tail, fd);
        if (known == null) {
            nameless(tail, true);
        }
        enqueue(tail);
    }

    private Tail begin(Pathname path, FileIdentity identity, long device, Statx stat) {
        ResumePoint point = resume.claim(identity, path);
        if (point != null) {
            Tail tail = versions.resume(point, identity, device);
            tail.bytes.compareFirst(
                    wholePrefix ? Verification.Before.EVERYTHING : Verification.Before.LAST_PIECES,
                    closedCleanly ? tail.recordedMtimeNs() : Long.MIN_VALUE);
            return tail;
        }
        long start = startAtEnd ? stat.size() : 0;
        Tail tail = versions.open(identity, device, path, Names.attributesOf(stat), start);
        if (start > 0) {
            tail.bytes.compareFirst(Verification.Before.LAST_PIECES, tail.recordedMtimeNs());
        }
        return tail;
    }

    @Override
    public void modified(Tail tail) {
        tail.touched = true;
        enqueue(tail);
    }

    @Override
    public void closed(Tail tail) {
        tail.closedByWriter = true;
        tail.touched = true;
        tail.bytes.closed();
        tail.derivedSought = false;
        enqueue(tail);
    }

    @Override
    public void nameRemoved(Pathname path, Tail tail) {
        derived.nameRemoved(path, tail);
    }

    @Override
    public void nameless(Tail tail, boolean movedOut) {
        tail.movedOut = movedOut;
        tail.enter(Tail.State.ROTATED);
        rotated.add(tail);
        enqueue(tail);
    }

    /** Queues the version that took over from a superseded one, if there is one. */
    void enqueueSuccessor(Tail over) {
        Tail next = files.find(over.identity, over.device);
        if (next != null && next != over) {
            if (!next.hasName() && !rotated.contains(next)) {
                next.movedOut = over.movedOut;
                next.enter(Tail.State.ROTATED);
                rotated.add(next);
            }
            enqueue(next);
        }
    }

    /** Puts a tail at the end of the queue, once. */
    void enqueue(Tail tail) {
        if (!tail.queued && tail.isLive()) {
            tail.queued = true;
            ready.addLast(tail);
        }
    }

    /** Returns the next tail that has something to do, or null. */
    @Nullable
    Tail next() {
        Tail tail = ready.pollFirst();
        if (tail != null) {
            tail.queued = false;
        }
        return tail;
    }

    /** Puts a tail back at the head of the queue. */
    void putBack(Tail tail) {
        if (!tail.queued) {
            tail.queued = true;
            ready.addFirst(tail);
        }
    }

    /** Lets a tail wait for one coalescing window. */
    void defer(Tail tail) {
        await(tail, deferred);
    }

    /** Lets a tail wait whose file the kernel refuses to read. */
    void refuse(Tail tail) {
        await(tail, refused);
    }

    private static void await(Tail tail, ArrayDeque<Tail> queue) {
        if (!tail.deferred) {
            tail.deferred = true;
            queue.addLast(tail);
        }
    }

    /** Queues the tails that waited for one coalescing window. */
    void resumeDeferred() {
        resume(deferred);
    }

    /** Queues the tails whose files the kernel refused to read. */
    void resumeRefused() {
        resume(refused);
    }

    private void resume(ArrayDeque<Tail> queue) {
        for (Tail tail = queue.pollFirst(); tail != null; tail = queue.pollFirst()) {
            tail.deferred = false;
            enqueue(tail);
        }
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    boolean hasDeferred() {
        return !deferred.isEmpty();
    }

    boolean hasRefused() {
        return !refused.isEmpty();
    }

    boolean hasRotated() {
        return !rotated.isEmpty();
    }

    /**
     * Looks after files without a name: they are read until no writer has them open any more.
     *
     * @param nowMs the time
     * @param patienceMs how long a file is kept whose writers cannot be asked about and that does not grow
     */
    void sweepRotated(long nowMs, long patienceMs) {
        for (Tail tail : List.copyOf(rotated)) {
            Fd fd = tail.fd();
            if (!tail.isLive() || fd == null) {
                rotated.remove(tail);
                continue;
            }
            if (tail.bytes.position() != tail.rotatedAt) {
                tail.rotatedAt = tail.bytes.position();
                tail.rotatedSinceMs = nowMs;
            }
            boolean writerLeft = fd.probeReadLease() != 0 && nowMs - tail.rotatedSinceMs < patienceMs;
            tail.closedByWriter |= !writerLeft;
            enqueue(tail);
            boolean over = !writerLeft && !tail.hasBacklog();
            tail.lastLook = over && tail.drained;
            if (tail.lastLook && tail.bytes.isSettled()) {
                rotated.remove(tail);
                end(tail);
            }
            tail.drained = over;
        }
    }

    /** A file that still has a name somewhere may come back, and goes on as the same version then. */
    private void end(Tail tail) {
        Fd fd = tail.fd();
        boolean exists = fd != null && stat.of(fd.value()) == 0 && stat.nlink() > 0;
        if (exists) {
            resume.put(tail, null);
        }
        versions.finish(tail, exists ? LogRecord.Reason.SEALED : LogRecord.Reason.GONE);
    }

    /** Notes a file whose trailing zeros are held back. */
    void holdsBack(Tail tail) {
        if (!heldBack.contains(tail)) {
            heldBack.add(tail);
        }
    }

    boolean hasHeldBack() {
        return !heldBack.isEmpty();
    }

    /**
     * Asks whether files whose trailing zeros are held back still have a writer: without one their zeros are data,
     * though no event told of the close (it came before the file was found).
     */
    void sweepHeldBack(long nowMs, long patienceMs) {
        for (Tail tail : List.copyOf(heldBack)) {
            Fd fd = tail.fd();
            if (!tail.isLive() || tail.bytes.heldBackBytes() == 0 || fd == null) {
                heldBack.remove(tail);
                continue;
            }
            int lease = fd.probeReadLease();
            boolean unknown = lease != 0 && lease != -Errno.EAGAIN;
            if (lease == 0 || unknown && nowMs - tail.bytes.mtimeNs() / 1_000_000 > patienceMs) {
                tail.closedByWriter = true;
                enqueue(tail);
            }
        }
    }

    @Override
    public void close() {
        stat.close();
    }
}
