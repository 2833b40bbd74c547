package io.chagres.ship.follow;

import io.chagres.linux.Fd;
import io.chagres.linux.Statx;
import io.chagres.ship.file.FileBlock;
import io.chagres.ship.file.FileQueue;
import io.chagres.ship.file.FileTable;
import io.chagres.ship.file.SourceVolume;
import io.chagres.ship.file.Tail;
import io.chagres.watch.Dentry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
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

    /** When the oldest look is so old, a round of looks is due; milliseconds. */
    private static final long LIVELY_DUE_MS = 8_000;

    private static final long AT_REST_DUE_MS = 48_000;
    /** Up to this number of files is looked at as often as lively ones: that costs little beside the wake-up. */
    private static final int FEW = 1_000;

    /** A step wakes the program, which costs as much as many looks, so that one comes this long after another. */
    private static final int STEP_MS = 2_000;
    /** Looks that a step makes of each kind at most: about 20 milliseconds. */
    private static final int MOST_LOOKS = 4_000;

    private static final long LATELY_MS = 60_000;
    private static final int PATH_BYTES = 8192;

    private final FileTable table;
    private final FollowedFiles files;
    private final Verifier verifier;
    private final FileQueue lively = new FileQueue(FileQueue.For.SOON);
    /** The files that could not be looked at when it was their turn. */
    private final FileQueue missed = new FileQueue(FileQueue.For.MISSED);

    /** When the files of each block of the table were looked at, those that are lively or were missed left out. */
    private int[] blocksLookedMs = new int[0];

    private int blocks;
    private int nextBlock;

    /** No used block was looked at before this time; each step asks when the next is due. */
    private long oldestBlockAtMs = Long.MIN_VALUE;

    private final Arena arena = Arena.ofConfined();
    private final Statx stat = new Statx(arena);
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
            oldestBlockAtMs = Long.MIN_VALUE; // its block may have been empty, and not looked at
            if (lively.size() < MOST_LOOKS) {
                lively.add(fresh);
            }
        }
        for (blocks = Math.min(blocks, table.blocks()); blocks < table.blocks(); blocks++) {
            if (blocks == blocksLookedMs.length) {
                blocksLookedMs = Arrays.copyOf(blocksLookedMs, blocks + blocks / 2 + 1);
            }
            blocksLookedMs[blocks] = (int) nowMs;
        }
        if (table.size() == 0) { // what is found next is looked at then
            Arrays.fill(blocksLookedMs, (int) nowMs);
        }
        if (dueInMs(nowMs) > 0) {
            return false;
        }
        steppedMs = nowMs;
        boolean found = look(missed, 0, nowMs);
        found |= look(lively, LIVELY_DUE_MS, nowMs);
        return lookAtRest(nowMs) || found;
    }

    /** Returns the milliseconds until {@link #step} has something to do; {@link Long#MAX_VALUE} without a file. */
    public long dueInMs(long nowMs) {
        long due = missed.isEmpty() ? Long.MAX_VALUE : 0;
        due = Math.min(due, dueInMs(lively, LIVELY_DUE_MS, nowMs));
        due = Math.min(due, table.size() == 0 ? Long.MAX_VALUE : atRestDueInMs(nowMs));
        return Math.max(due, steppedMs + STEP_MS - nowMs);
    }

    private long atRestDueInMs(long nowMs) {
        if (nowMs - atRestDueMs() >= oldestBlockAtMs) {
            oldestBlockAtMs = nowMs - oldestBlockMs(nowMs);
        }
        return atRestDueMs() - (nowMs - oldestBlockAtMs);
    }

    private long atRestDueMs() {
        return table.size() <= FEW ? LIVELY_DUE_MS : AT_REST_DUE_MS;
    }

    private static long dueInMs(FileQueue queue, long dueMs, long nowMs) {
        Tail first = queue.peek();
        return first == null ? Long.MAX_VALUE : dueMs - first.lookedAgoMs(nowMs);
    }

    /** Looks at the files whose turn it is, once one is due: also at those that would be due before long. */
    private boolean look(FileQueue queue, long dueMs, long nowMs) {
        boolean found = false;
        int left = dueInMs(queue, dueMs, nowMs) > 0 ? 0 : MOST_LOOKS;
        for (int i = queue.size(); i > 0 && left > 0; i--) {
            if (dueInMs(queue, dueMs / 2, nowMs) > 0) {
                break;
            }
            Tail tail = Objects.requireNonNull(queue.poll());
            if (!tail.isLive()) {
                continue; // it costs no look
            }
            left--;
            found |= look(tail, nowMs);
        }
        return found;
    }

    /** Looks at the files whose turn it is and that are neither lively nor were missed, likewise. */
    private boolean lookAtRest(long nowMs) {
        boolean found = false;
        int left = table.size() == 0 || atRestDueInMs(nowMs) > 0 ? 0 : MOST_LOOKS;
        for (int i = 0; i < blocks && left > 0; i++) {
            nextBlock = nextBlock < blocks ? nextBlock : 0;
            int block = nextBlock++;
            if (lookedAgoMs(block, nowMs) >= atRestDueMs() / 2) {
                blocksLookedMs[block] = (int) nowMs;
                left -= table.block(block).used();
                found |= look(table.block(block), nowMs);
            }
        }
        return found;
    }

    private boolean look(FileBlock block, long nowMs) {
        boolean found = false;
        for (int row = 0; row < FileBlock.ROWS; row++) {
            if (!block.isUsed(row) || isAsItWas(block, row)) {
                continue;
            }
            Tail tail = block.tail(row);
            if (tail.isLive() && !tail.waits(FileQueue.For.SOON) && !tail.waits(FileQueue.For.MISSED)) {
                found |= look(tail, nowMs);
            }
        }
        return found;
    }

    /** Looks at a file that has no object; without a change it needs none. */
    private boolean isAsItWas(FileBlock block, int row) {
        Dentry name = block.name(row);
        return name != null
                && isSeen(name, block.inode(row), block.volume(row))
                && !block.hasMoved(row, stat.size(), stat.mtimeNs(), stat.ctimeNs());
    }

    /** Looks at a file; returns whether there is anything to be done. */
    private boolean look(Tail tail, long nowMs) {
        if (!isSeen(tail)) {
            files.modified(tail); // its turn opens it, or says why not
            missed.add(tail);
            return true;
        }
        tail.looked(nowMs);
        boolean moved = tail.hasMoved(stat.size(), stat.mtimeNs(), stat.ctimeNs());
        if (moved) {
            verifier.observe(tail, stat, nowMs); // also while no turn can be given
            files.modified(tail);
        }
        boolean open = verifier.reconsider(tail, nowMs);
        tail.rest(nowMs);
        if (open || nowMs - tail.quietSinceMs() < LATELY_MS) {
            lively.add(tail);
        }
        return moved;
    }

    /** Looks at a file by its descriptor or one of its names; false when it cannot be looked at now. */
    private boolean isSeen(Tail tail) {
        Fd fd = tail.fd();
        Dentry name = tail.name();
        if (fd != null) {
            return stat.of(fd.value()) == 0;
        }
        return name != null && isSeen(name, tail.inode(), tail.volume());
    }

    private boolean isSeen(Dentry name, long inode, SourceVolume volume) {
        return stat.of(name.writePath(path), false) == 0 && stat.ino() == inode && stat.dev() == volume.device();
    }

    /** Returns how long ago the look was that is the oldest, in milliseconds; 0 without a file. */
    public long oldestLookMs(long nowMs) {
        return Math.max(oldestBlockMs(nowMs), Math.max(ageMs(lively, nowMs), ageMs(missed, nowMs)));
    }

    /** Returns how many blocks were looked at and are still there: files end at any time between two steps. */
    private int knownBlocks() {
        return Math.min(blocks, table.blocks());
    }

    private long lookedAgoMs(int block, long nowMs) {
        int agoMs = (int) nowMs - blocksLookedMs[block];
        return agoMs;
    }

    /** Returns the age of the oldest look at a block with a file, in milliseconds; 0 without any. */
    private long oldestBlockMs(long nowMs) {
        long oldest = 0;
        for (int i = 0; i < knownBlocks(); i++) {
            long agoMs = lookedAgoMs(i, nowMs);
            oldest = agoMs > oldest && table.block(i).used() > 0 ? agoMs : oldest;
        }
        return oldest;
    }

    private static long ageMs(FileQueue queue, long nowMs) {
        Tail first = queue.peek();
        while (first != null && !first.isLive()) { // it needs no look, and those behind it do
            queue.poll();
            first = queue.peek();
        }
        return first == null ? 0 : Math.max(0, first.lookedAgoMs(nowMs));
    }

    /** Returns how many files were not looked at within their time, with some that ended since. */
    public long overdueFiles(long nowMs) {
        long atRest = 0;
        for (int i = 0; i < knownBlocks(); i++) {
            atRest += lookedAgoMs(i, nowMs) > EVERY_MS ? table.block(i).used() : 0;
        }
        return atRest + overdue(lively, LIVELY_MS, nowMs) + overdue(missed, EVERY_MS, nowMs);
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
        arena.close();
    }
}
