package io.chagres.linux;

/**
 * Time that passes whatever happens to the time of day: {@code CLOCK_MONOTONIC}, see clock_gettime(2). For intervals;
 * the start is arbitrary. Safe for any thread; allocates nothing.
 */
public final class MonotonicClock {
    private static final long NS_PER_MS = 1_000_000;

    private MonotonicClock() {}

    /**
     * Returns nanoseconds since some moment.
     *
     * @return never less than before
     */
    public static long nowNs() {
        return System.nanoTime();
    }

    /**
     * Returns milliseconds since some moment.
     *
     * @return never less than before
     */
    public static long nowMs() {
        return nowNs() / NS_PER_MS;
    }
}
