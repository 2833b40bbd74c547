package io.chagres.dedupe;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Files that are to share the blocks of one of them. Its workers claim targets; the owner reads the fate of each when
 * all have ended. Safe for any thread.
 */
final class ShareSet {
    /** After this number of misses the samples are not trusted. */
    private static final int MAX_MISSES = 3;

    private static final int WORTH_FILES = 32;
    private static final long WORTH_BYTES = 32L << 20;

    private final int source;
    private final int[] targets;
    private final long size;
    private final boolean trusting;
    private final ShareTarget.State[] states;
    private final FreedBytes freed = new FreedBytes();
    private final AtomicInteger claimed = new AtomicInteger();
    private final AtomicInteger misses = new AtomicInteger();
    private final AtomicLong helpedBytes = new AtomicLong();
    private volatile boolean sourceChanged;
    private volatile boolean alone;
    private volatile int sourceErrno;

    /**
     * Makes a set with no target claimed.
     *
     * @param source the file whose blocks the others get
     * @param targets the files that get them, borrowed
     * @param size of each
     * @param trusting whether to continue after misses
     * @param kept where the source lies
     */
    ShareSet(int source, int[] targets, long size, boolean trusting, FileExtents kept) {
        this.source = source;
        this.targets = targets;
        this.size = size;
        this.trusting = trusting;
        states = new ShareTarget.State[targets.length];
        Arrays.fill(states, ShareTarget.State.UNTRIED);
        freed.reset(kept);
    }

    int source() {
        return source;
    }

    long size() {
        return size;
    }

    int target(int index) {
        return targets[index];
    }

    /** Gives the next target to the caller alone; -1 if none is left, or the samples turned out wrong. */
    int claim() {
        if (isOver()) {
            return -1;
        }
        int next = claimed.getAndIncrement();
        return next < targets.length ? next : -1;
    }

    /** Returns how many targets can be claimed. */
    int unclaimed() {
        return isOver() ? 0 : Math.max(0, targets.length - claimed.get());
    }

    private boolean isOver() {
        return sourceChanged || sourceErrno != 0 || (!trusting && misses.get() >= MAX_MISSES);
    }

    /** Says whether a helper would save more than the second source costs. */
    boolean isWorthHelp() {
        long files = unclaimed();
        return !alone && files >= WORTH_FILES && files * size >= WORTH_BYTES;
    }

    /** Tells that nobody else can work on it. */
    void refuseHelp() {
        alone = true;
    }

    /** Says whether the files are known to be equal, so that misses have other reasons. */
    boolean isTrusting() {
        return trusting;
    }

    void miss() {
        misses.incrementAndGet();
    }

    void end(int index, ShareTarget.State state) {
        states[index] = state;
    }

    /** Returns the outcome of a target. */
    ShareTarget.State state(int index) {
        return states[index];
    }

    /** Counts the blocks that a range of a target lets go of. */
    synchronized void release(FileExtents target, long from, long to) {
        freed.release(target, from, to);
    }

    synchronized long freedBytes() {
        return freed.total();
    }

    void setSourceChanged() {
        sourceChanged = true;
    }

    /** Says whether the source changed while others were compared with it. */
    boolean sourceChanged() {
        return sourceChanged;
    }

    /** Tells that the kernel shares no blocks of the source with anybody. */
    void refuseSource(int errno) {
        sourceErrno = errno;
    }

    /** Returns why the kernel shares no blocks of the source, 0 if it does. */
    int sourceErrno() {
        return sourceErrno;
    }

    /** Adds the bytes that others than the owner went through. */
    void helped(long bytes) {
        helpedBytes.addAndGet(bytes);
    }

    long helpedBytes() {
        return helpedBytes.get();
    }
}
