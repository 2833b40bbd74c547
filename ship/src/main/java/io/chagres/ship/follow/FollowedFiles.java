package io.chagres.ship.follow;

import io.chagres.archive.LogRecord;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.FileSystemId;
import io.chagres.linux.FileTimes;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.ship.bytes.PrefixCheck;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.file.DentryEvents;
import io.chagres.ship.file.FileEvents;
import io.chagres.ship.file.FileQueue;
import io.chagres.ship.file.FileTable;
import io.chagres.ship.file.KnownNames;
import io.chagres.ship.file.OldFiles;
import io.chagres.ship.file.ResumePoint;
import io.chagres.ship.file.ResumePoints;
import io.chagres.ship.file.Tail;
import io.chagres.ship.file.TailDescriptors;
import io.chagres.ship.file.TailFact;
import io.chagres.ship.file.Unlinked;
import io.chagres.ship.file.Versions;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileId;
import io.chagres.watch.FileIdentity;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the queue of tails that have something to do and the files that lost their last name. Confined to the
 * shipper's thread; putting a known tail into the queue allocates nothing.
 */
public final class FollowedFiles implements FileEvents, AutoCloseable {
    private static final long NAMELESS_MS = 100;
    /** The more there are, the rarer all are looked at: writers may keep very many files for days. */
    private static final int NAMELESS_PER_MS = 10;

    private static final long HELD_BACK_MS = 500;
    /** A file that the kernel refuses to read is tried again after this time. */
    private static final long REFUSED_MS = 500;
    /** A bad disk may answer each try late: the next one comes after so often the time of these, within a minute. */
    private static final int REFUSED_PAUSE = 20;

    private static final long MOST_REFUSED_MS = 60_000;
    /** Some 10 MB of memory, and turns for longer than a commit takes. */
    private static final int MANY_READY = 16_384;

    /** How long a file is kept whose writers cannot be asked about and that does not grow. */
    public static final long UNKNOWN_WRITER_MS = 60_000;

    private final FileTable files;
    private final TailDescriptors descriptors;
    private final Versions versions;
    private final ResumePoints resume;
    private final KnownNames known;
    private final CommitPipeline pipeline;
    private final DerivedFiles derived;
    private final FileQueue ready = new FileQueue(FileQueue.For.TURN);
    private final FileQueue toLookAt = new FileQueue(FileQueue.For.LOOK);
    private final FileQueue deferred = new FileQueue(FileQueue.For.WINDOW);
    private final FileQueue refused = new FileQueue(FileQueue.For.RETRY);
    private final FileQueue nameless = new FileQueue(FileQueue.For.END);
    private final FileQueue heldBack = new FileQueue(FileQueue.For.CLOSE);
    private final Statx stat = new Statx();
    private long nextNamelessMs;
    private long nextHeldBackMs;
    private long nextRefusedMs;

    /** How far the shipper before this one had proven the files. */
    public EarlierProof earlier = EarlierProof.NONE;

    /** Whether files seen for the first time begin at their end. */
    public boolean startAtEnd;

    /** How many wait for their turn before {@link #areMany} says so. */
    public int mostReady = MANY_READY;

    /** Which files are left out for their age; null for none. */
    public @Nullable OldFiles old;

    /** Takes how a file looked when it was opened; null for nobody, and its turn looks at it. */
    public @Nullable BiConsumer<Tail, Statx> firstLook;

    /** Begins without any file. */
    public FollowedFiles(
            FileTable files,
            TailDescriptors descriptors,
            Versions versions,
            ResumePoints resume,
            KnownNames known,
            CommitPipeline pipeline,
            DerivedFiles derived) {
        this.files = files;
        this.descriptors = descriptors;
        this.versions = versions;
        this.resume = resume;
        this.known = known;
        this.pipeline = pipeline;
        this.derived = derived;
    }

    @Override
    public void found(Dentry name, Fd fd, FileId looked) {
        FileIdentity identity = looked.identity();
        long device = looked.device();
        Statx stat = looked.stat();
        Pathname path = name.path();
        Tail tail = files.find(identity, device);
        if (tail == null && leavesOut(path, identity, stat)) {
            fd.close();
            return;
        }
        if (tail == null) {
            tail = begin(path, identity, device, stat, fd);
        }
        if (tail.fd() == null) {
            descriptors.attach(tail, fd);
        } else {
            fd.close();
        }
        tail.set(TailFact.HANDLE_REMADE, looked.isHandleRemade());
        name.attach(tail);
        tail.addName(name);
        touched(tail);
        if (firstLook != null) {
            firstLook.accept(tail, stat);
            tail.set(TailFact.LOOKED_AT_NOW, true);
        }
        if (!known.seenFile(path, tail.versionId)) {
            pipeline.write(new LogRecord.NameAdded(
                    path, LogRecord.Kind.FILE, tail.versionId, Pathname.of(""), tail.recorded()));
        }
        if (tail.position() > 0) {
            putBack(tail); // that it was cut is seen before what may be its copy is looked at
        } else {
            enqueue(tail);
        }
    }

    @Override
    public void departed(Pathname from, Fd fd, FileIdentity identity, long device, Statx stat) {
        Tail known = files.find(identity, device);
        if (known != null ? known.fd() != null : leavesOut(from, identity, stat)) {
            fd.close();
            return;
        }
        Tail tail = known == null ? begin(from, identity, device, stat, fd) : known;
        descriptors.attach(tail, fd);
        touched(tail);
        if (known == null) {
            tail.lostNameAt(from);
            nameless(tail);
        }
        enqueue(tail);
    }

    @Override
    public void vanished(Pathname path, FileIdentity identity) {
        ResumePoint point = resume.claim(identity, path);
        if (point != null) {
            versions.finish(point.versionId());
        }
    }

    /** Says whether a file is left out for its age; a file that the archive has is followed. */
    private boolean leavesOut(Pathname path, FileIdentity identity, Statx stat) {
        return old != null && !resume.holds(identity) && old.leavesOut(path, stat);
    }

    private Tail begin(Pathname path, FileIdentity identity, long device, Statx stat, Fd fd) {
        ResumePoint known = resume.claim(identity, path);
        ResumePoint point = known == null && identity.generation() == 0 ? copiedUp(path, stat, fd) : known;
        if (point != null) {
            Tail tail = versions.resume(point, identity, device, path);
            tail.bytes()
                    .compareFirst(
                            earlier.diedUncleanly() || known == null
                                    ? Verification.Before.EVERYTHING
                                    : Verification.Before.LAST_PIECES,
                            tail.recordedMtimeNs(),
                            earlier.untilMs(tail, fd),
                            earlier.unproven() != null);
            return tail;
        }
        long start = startAtEnd ? stat.size() : 0;
        Tail tail = versions.open(identity, device, path, DentryEvents.attributesOf(stat), start);
        if (start > 0) {
            tail.bytes().compareFirst(Verification.Before.LAST_PIECES, tail.recordedMtimeNs(), Long.MAX_VALUE, true);
        }
        return tail;
    }

    /** A file that overlayfs copied up may be another one once that is mounted again: its name and bytes tell. */
    private @Nullable ResumePoint copiedUp(Pathname path, Statx stat, Fd fd) {
        if (!FileSystemId.isOverlay(FileSystemId.typeOf(fd.value()))) {
            return null;
        }
        try (PrefixCheck check = new PrefixCheck()) {
            return resume.claimAt(path, point -> {
                PrefixChecksums prefix = point.prefix();
                int last = prefix.pieces() - 1;
                return last >= 0
                        && stat.size() >= prefix.end()
                        && holds(check, fd, prefix.slice(0, 1))
                        && holds(check, fd, prefix.slice(last, last + 1));
            });
        }
    }

    private static boolean holds(PrefixCheck check, Fd fd, PrefixChecksums.Pieces pieces) {
        return check.firstMismatch(fd, pieces) == pieces.ends().length;
    }

    @Override
    public void modified(Tail tail) {
        touched(tail);
        enqueue(tail);
    }

    private void touched(Tail tail) {
        tail.set(TailFact.TOUCHED, true);
        tail.set(TailFact.LOOKED_AT_NOW, false);
        toLookAt.add(tail);
    }

    @Override
    public void closed(Tail tail) {
        tail.set(TailFact.CLOSED_BY_WRITER, true);
        touched(tail);
        tail.bytes().closed();
        tail.set(TailFact.DERIVED_SOUGHT, false);
        enqueue(tail);
    }

    @Override
    public void nameRemoved(Pathname path, Tail tail) {
        derived.nameRemoved(path, tail);
    }

    @Override
    public void nameless(Tail tail) {
        tail.loseNames();
        nameless.add(tail);
        enqueue(tail);
    }

    /** Returns the files without a name, those first that lost it first. */
    public Iterable<Tail> withoutName() {
        return nameless;
    }

    /** Queues the version that took over from a superseded one, if there is one. */
    public void enqueueSuccessor(Tail over) {
        Tail next = files.current(over);
        if (next != null && next != over) {
            if (!next.hasName() && next.unlinked() == null) {
                nameless(next);
            }
            enqueue(next);
        }
    }

    /** Puts a tail at the end of the queue, once. */
    public void enqueue(Tail tail) {
        if (tail.isLive()) {
            ready.add(tail);
        }
    }

    /** Returns the next tail that has something to do, or null. */
    @Nullable
    public Tail next() {
        return ready.poll();
    }

    /** Returns the next tail that an event named and that had no turn since, or null. */
    @Nullable
    public Tail nextToLookAt() {
        Tail tail = toLookAt.poll();
        while (tail != null && !tail.has(TailFact.TOUCHED)) {
            tail = toLookAt.poll();
        }
        return tail;
    }

    /** Puts a tail back at the head of the queue. */
    public void putBack(Tail tail) {
        ready.addFirst(tail);
    }

    /** Lets a tail wait for one coalescing window. */
    public void defer(Tail tail) {
        deferred.add(tail);
    }

    /** Lets a tail wait whose file the kernel refuses to read. */
    public void refuse(Tail tail) {
        refused.add(tail);
    }

    /** Lets it wait for longer where its turn, or those before it, took long: other files need the loop. */
    public void refuse(Tail tail, long begunMs, long endedMs) {
        refuse(tail);
        long pauseMs = Math.min(MOST_REFUSED_MS, REFUSED_PAUSE * (endedMs - begunMs));
        nextRefusedMs = Math.max(nextRefusedMs, endedMs + pauseMs);
    }

    /**
     * Queues the tails whose time has come, and looks after those that no event names.
     *
     * @param hurry whether files without a name are looked at each time
     */
    public void step(long nowMs, boolean hurry) {
        resume(deferred);
        if (!nameless.isEmpty() && (nowMs >= nextNamelessMs || hurry)) {
            sweepNameless(nowMs);
            nextNamelessMs = nowMs + NAMELESS_MS + nameless.size() / NAMELESS_PER_MS;
        }
        if (!heldBack.isEmpty() && nowMs >= nextHeldBackMs) {
            sweepHeldBack(nowMs);
            nextHeldBackMs = nowMs + HELD_BACK_MS;
        }
        if (!refused.isEmpty() && nowMs >= nextRefusedMs) {
            resume(refused);
            nextRefusedMs = nowMs + REFUSED_MS;
        }
    }

    /** Returns the milliseconds until {@link #step} has something to do; {@link Long#MAX_VALUE} when nothing waits. */
    public long dueInMs(long nowMs, int coalesceMs) {
        long due = deferred.isEmpty() ? Long.MAX_VALUE : Math.max(1, coalesceMs);
        due = nameless.isEmpty() ? due : Math.min(due, nextNamelessMs - nowMs);
        due = heldBack.isEmpty() ? due : Math.min(due, nextHeldBackMs - nowMs);
        return Math.max(0, refused.isEmpty() ? due : Math.min(due, nextRefusedMs - nowMs));
    }

    private void resume(FileQueue queue) {
        for (Tail tail = queue.poll(); tail != null; tail = queue.poll()) {
            enqueue(tail);
        }
    }

    /** Says whether as many wait for their turn as can be shipped for a while: to find more does not help. */
    public boolean areMany() {
        return ready.size() >= mostReady;
    }

    /** Says whether a tail waits for its turn. */
    public boolean hasReady() {
        return !ready.isEmpty();
    }

    /**
     * Looks after files without a name: they are read until no writer has them open any longer. One that is not open
     * here is opened at its turn, or ends there.
     */
    private void sweepNameless(long nowMs) {
        for (int left = nameless.size(); left > 0; left--) {
            Tail tail = Objects.requireNonNull(nameless.poll());
            boolean waits = tail.unlinked() != null && tail.isLive();
            if (waits && (tail.fd() == null || staysOpen(tail, nowMs))) {
                nameless.add(tail);
            }
        }
    }

    private boolean staysOpen(Tail tail, long nowMs) {
        Unlinked state = Objects.requireNonNull(tail.unlinked());
        Fd fd = Objects.requireNonNull(tail.fd());
        int lease = fd.probeReadLease();
        boolean rested = state.restedMs(tail.position(), nowMs) >= UNKNOWN_WRITER_MS;
        boolean writerLeft = !state.isLetGo() && (lease == -Errno.EAGAIN || (lease != 0 && !rested));
        if (!writerLeft) {
            tail.set(TailFact.CLOSED_BY_WRITER, true);
        }
        boolean changed = tail.has(TailFact.TOUCHED) || hasChanged(tail, fd);
        if (changed) {
            touched(tail); // counted, whether or not there is room to read it
        }
        boolean compared = tail.waits(FileQueue.For.COMPARISON) || tail.waits(FileQueue.For.ANSWER);
        if ((tail.canBeRead() && ((!writerLeft && !compared) || tail.hasBacklog())) || changed) {
            enqueue(tail);
        }
        state.looked(!writerLeft && !tail.hasBacklog() && !changed, nowMs);
        if (state.isLastLook() && tail.bytes().isSettled(state.overSinceMs())) {
            end(tail);
        }
        return tail.isLive();
    }

    /** Says whether a file differs from the last look at it; no event names a file without a name. */
    private boolean hasChanged(Tail tail, Fd fd) {
        return stat.of(fd.value()) == 0 && (stat.size() != tail.size() || stat.mtimeNs() != tail.mtimeNs());
    }

    /** Ends a file; one that still has a name somewhere may come back, and then continues as the same version. */
    private void end(Tail tail) {
        Fd fd = tail.fd();
        boolean exists = fd != null && stat.of(fd.value()) == 0 && stat.nlink() > 0;
        if (exists) {
            resume.put(tail, null);
        }
        versions.finish(tail, exists ? LogRecord.Reason.SEALED : LogRecord.Reason.GONE);
    }

    /** Returns the versions that ended and whose copies are not found by their first bytes. */
    List<Tail> endedUnread() {
        return versions.endedUnread();
    }

    /** Notes a file whose trailing zeros are held back. */
    public void holdsBack(Tail tail) {
        heldBack.add(tail);
    }

    /**
     * Asks whether files whose trailing zeros are held back still have a writer: without one their zeros are data, even
     * if no event named the close (it came before the file was found).
     */
    private void sweepHeldBack(long nowMs) {
        for (int left = heldBack.size(); left > 0; left--) {
            Tail tail = Objects.requireNonNull(heldBack.poll());
            Fd fd = tail.fd();
            if (!tail.isLive() || tail.bytes().heldBackBytes() == 0) {
                continue;
            }
            heldBack.add(tail);
            if (fd == null) {
                enqueue(tail); // its turn opens it
                continue;
            }
            int lease = fd.probeReadLease();
            boolean unknown = lease != 0 && lease != -Errno.EAGAIN;
            if (lease == 0 || (unknown && nowMs - FileTimes.toMs(tail.bytes().mtimeNs()) > UNKNOWN_WRITER_MS)) {
                tail.set(TailFact.CLOSED_BY_WRITER, true);
                enqueue(tail);
            }
        }
    }

    @Override
    public void close() {
        stat.close();
    }
}
