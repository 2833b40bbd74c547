package io.chagres.cli.command;

import java.util.function.LongSupplier;

/**
 * Collects the garbage of a program that keeps running. The JVM does so only when the heap may no longer grow; until
 * then it would take all the memory that it may from the machine. Confined to one thread.
 */
public final class HeapCare {
    /** Half as much garbage as what is kept is collected at once, within bounds: a collection takes longer then. */
    private static final long LEAST_MUCH_BYTES = 8L << 20;

    private static final long MOST_MUCH_BYTES = 16L << 20;
    /** The young generation, which collects itself, and what goes and comes with each status. */
    private static final long LITTLE_BYTES = 4L << 20;

    private static final long LITTLE_MS = 20_000;
    private static final long KEPT_PART = 20;
    /** What is kept of a file, in the mean: heap that files found since the last collection take is no garbage. */
    private static final long FILE_BYTES = 120;

    /** When at least this many files went, and half of all, what was kept of them is garbage. */
    private static final long MANY_FILES = 4_000;

    /** The part of the heap that may be kept; beyond it every step would collect. */
    private static final double FULL_PART = 0.95;

    private final LongSupplier used;
    private final Runnable collector;
    private long keptBytes;
    private long keptFiles;
    private long collectedFiles;
    private long knownFiles;
    private long collectedMs;
    private long lookedBytes;

    /** Cares for the heap of the JVM. */
    public HeapCare() {
        this(HeapCare::usedBytes, System::gc);
    }

    HeapCare(LongSupplier used, Runnable collector) {
        this.used = used;
        this.collector = collector;
    }

    /** Notes that something is kept of files already that are to be found: to find them takes no more. */
    public void knows(long files) {
        knownFiles = files;
        collectedFiles = Math.max(collectedFiles, files);
    }

    /**
     * Collects now, since much of what was kept is gone.
     *
     * @param files how many files something is kept of
     */
    public void collect(long nowMs, long files) {
        collector.run();
        keptBytes = used.getAsLong();
        keptFiles = files;
        collectedFiles = Math.max(files, knownFiles);
        collectedMs = nowMs;
    }

    /**
     * Collects if it is worth it.
     *
     * @param files how many files something is kept of
     */
    public void step(long nowMs, long files) {
        keptFiles = Math.max(keptFiles, files);
        boolean manyGone = keptFiles - files >= Math.max(MANY_FILES, keptFiles / 2);
        long expectedBytes = keptBytes + Math.max(0, files - collectedFiles) * FILE_BYTES;
        long garbageBytes = used.getAsLong() - expectedBytes - expectedBytes / KEPT_PART;
        if (manyGone
                || garbageBytes >= Math.clamp(expectedBytes / 2, LEAST_MUCH_BYTES, MOST_MUCH_BYTES)
                || (garbageBytes >= LITTLE_BYTES && nowMs - collectedMs >= LITTLE_MS)) {
            collect(nowMs, files);
        }
    }

    /** Says whether what is kept fills the heap: collects where that may be, once for each 32nd part that it grew. */
    public boolean isFull() {
        long max = Runtime.getRuntime().maxMemory();
        if (usedBytes() < max * FULL_PART || usedBytes() - lookedBytes < max / 32) {
            return false;
        }
        System.gc();
        lookedBytes = usedBytes();
        return lookedBytes >= max * FULL_PART;
    }

    private static long usedBytes() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
