package io.chagres.ship.metrics;

/**
 * Counts durations by classes. Counting allocates nothing; one thread counts, others may see counts that are a moment
 * old.
 */
public final class Histogram {
    private static final long[] BOUNDS_MS = {
        5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 3_600_000
    };

    private final long[] counts = new long[BOUNDS_MS.length + 1];
    private long sumMs;

    /** Begins with nothing counted. */
    public Histogram() {}

    /** Counts one, in milliseconds; less than 0 counts as 0. */
    public void record(long ms) {
        long duration = Math.max(0, ms);
        int at = 0;
        while (at < BOUNDS_MS.length && duration > BOUNDS_MS[at]) {
            at++;
        }
        counts[at]++;
        sumMs += duration;
    }

    /** Returns how many classes have an upper bound. */
    public int bounds() {
        return BOUNDS_MS.length;
    }

    /** Returns the upper bound of a class, in milliseconds. */
    public long boundMs(int index) {
        return BOUNDS_MS[index];
    }

    /** Returns how many were counted in a class; the last has no upper bound. */
    public long count(int index) {
        return counts[index];
    }

    /** Returns the sum of all, in milliseconds. */
    public long sumMs() {
        return sumMs;
    }
}
