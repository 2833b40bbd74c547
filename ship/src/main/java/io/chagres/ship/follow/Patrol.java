package io.chagres.ship.follow;

import io.chagres.linux.Fd;
import io.chagres.linux.Statx;
import io.chagres.ship.file.FileQueue;
import io.chagres.ship.file.FileTable;
import io.chagres.ship.file.Tail;
import io.chagres.watch.Dentry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Looks at every followed file again and again, with or without an event: not every writer raises one. Files that
 * somebody has open for writing or that changed lately are lively and come round sooner than those at rest. A look is a
 * status call on the descriptor, or on the path where the file is closed here. Confined to the shipper's thread; a look
 * that finds nothing allocates nothing.
 */
public final class Patrol implements AutoCloseable {
    /** Within this time each lively file is looked at, in milliseconds, unless there are too many. */
    public static final long LIVELY_MS = 10_000;
    /** Within this time every file is looked at, in milliseconds, unless there are too many. */
    public static final long EVERY_MS = 60_000;

    /** A step wakes the program, which costs as much as a hundred looks. */
    private static final int STEP_MS = 2_000;
    /** While no file is lively one wake-up is enough for two steps. */
    private static final int REST_MS = 2 * STEP_MS;
    /** Looks of a step that cost next to nothing: as many are made where that brings a round down to its shortest. */
    private static final int SPARE_LOOKS = 200 * STEP_MS / 1000;
    /** Looks of a step at most, of lively files and of those at rest: beyond that the rounds take longer. */
    private static final int MOST_LOOKS = 2_000 * STEP_MS / 1000;
    /** A step that comes late makes up for this number of steps at most. */
    private static final long MOST_STEPS = 5;

    private static final Round LIVELY = new Round(2_000, 8_000);
    private static final Round AT_REST = new Round(8_000, 50_000);
    private static final long LATELY_MS = 60_000;
    private static final int PATH_BYTES = 8192;

    /** How long a round takes: at best, and at worst as long as the most looks a second suffice; milliseconds. */
    private record Round(long shortestMs, long longestMs) {
        /** Returns how many of the files a step looks at. */
        int looks(int files) {
            long spare = Math.min(SPARE_LOOKS, perStep(files, shortestMs));
            return (int) Math.min(MOST_LOOKS, Math.max(spare, perStep(files, longestMs)));
        }

        private static long perStep(int files, long roundMs) {
            return ((long) files * STEP_MS + roundMs - 1) / roundMs;
        }
    }

    private final FileTable table;
    private final FollowedFiles files;
    private final Verifier verifier;
    private final FileQueue lively = new FileQueue(FileQueue.For.SOON);
    private final FileQueue atRest = new FileQueue(FileQueue.For.PATROL);
    /** The files that could not be looked at when it was their turn. */
    private final FileQueue missed = new FileQueue(FileQueue.For.MISSED);

    private final Statx stat = new Statx();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment path = arena.allocate(PATH_BYTES);
    private long steppedMs;

    /** Begins with the files that a table is given from now on. */
    public Patrol(FileTable table, FollowedFiles files, Verifier verifier) {
        this.table = table;
        this.files = files;
        this.verifier = verifier;
    }

    /** Continues the rounds when it is time; returns whether a look found a change. */
    public boolean step(long nowMs) {
        for (Tail fresh = table.pollFresh(); fresh != null; fresh = table.pollFresh()) {
            fresh.looked(nowMs);
            atRest.add(fresh);
        }
        if (nowMs - steppedMs < STEP_MS) {
            return false;
        }
        long steps = Math.min(MOST_STEPS, (nowMs - steppedMs) / STEP_MS);
        steppedMs = nowMs;
        int close = (int) steps * LIVELY.looks(lively.size());
        int far = (int) steps * AT_REST.looks(atRest.size());
        boolean found = look(missed, Math.min(missed.size(), MOST_LOOKS), nowMs);
        found |= look(lively, Math.min(lively.size(), close), nowMs);
        found |= look(atRest, Math.min(atRest.size(), far), nowMs);
        return found;
    }

    /** Returns the milliseconds until {@link #step} has something to do; {@link Long#MAX_VALUE} without a file. */
    public long dueInMs(long nowMs) {
        boolean none = lively.isEmpty() && atRest.isEmpty() && missed.isEmpty();
        int afterMs = lively.isEmpty() && missed.isEmpty() ? REST_MS : STEP_MS;
        return none ? Long.MAX_VALUE : Math.max(0, steppedMs + afterMs - nowMs);
    }

    private boolean look(FileQueue queue, int looks, long nowMs) {
        boolean found = false;
        int left = looks;
        for (int i = queue.size(); i > 0 && left > 0; i--) {
            Tail tail = Objects.requireNonNull(queue.poll());
            if (!tail.isLive()) {
                continue; // it costs no look
            }
            left--;
            if (!isSeen(tail)) {
                files.modified(tail); // its turn opens it, or says why not
                missed.add(tail);
                found = true;
                continue;
            }
            tail.looked(nowMs);
            found |= take(tail, nowMs);
        }
        return found;
    }

    /** Takes a look; the file stays on the patrol. */
    private boolean take(Tail tail, long nowMs) {
        boolean moved = tail.hasMoved(stat.size(), stat.mtimeNs(), stat.ctimeNs());
        if (moved) {
            verifier.observe(tail, stat, nowMs); // also while no turn can be given
            files.modified(tail);
        }
        boolean open = verifier.reconsider(tail, nowMs);
        tail.rest(nowMs);
        (open || nowMs - tail.quietSinceMs() < LATELY_MS ? lively : atRest).add(tail);
        return moved;
    }

    /** Looks at a file by its descriptor or one of its names; false when it cannot be looked at now. */
    private boolean isSeen(Tail tail) {
        Fd fd = tail.fd();
        Dentry name = tail.name();
        if (fd != null) {
            return stat.of(fd.value()) == 0;
        }
        return name != null
                && stat.of(name.writePath(path), false) == 0
                && stat.ino() == tail.inode()
                && stat.dev() == tail.volume().device();
    }

    /** Returns how long ago the look was that is the oldest, in milliseconds; 0 without a file. */
    public long oldestLookMs(long nowMs) {
        return Math.max(ageMs(lively, nowMs), Math.max(ageMs(atRest, nowMs), ageMs(missed, nowMs)));
    }

    private static long ageMs(FileQueue queue, long nowMs) {
        Tail first = queue.peek();
        return first == null || !first.isLive() ? 0 : Math.max(0, first.lookedAgoMs(nowMs));
    }

    /** Returns how many files were not looked at within their time, with some that ended since. */
    public long overdueFiles(long nowMs) {
        return overdue(lively, LIVELY_MS, nowMs) + overdue(atRest, EVERY_MS, nowMs) + overdue(missed, EVERY_MS, nowMs);
    }

    private static long overdue(FileQueue queue, long withinMs, long nowMs) {
        int low = 0;
        int high = queue.size(); // they are in the order of their looks, and may be a million
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (queue.at(middle).lookedAgoMs(nowMs) > withinMs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public void close() {
        stat.close();
        arena.close();
    }
}
