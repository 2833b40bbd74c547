package io.chagres.fuse;

/** Tells how time passes, whatever happens to the time of day. Safe for any thread. */
final class MonotonicClock {
    private MonotonicClock() {}

    /** Returns nanoseconds since some moment. */
    static long nowNs() {
        return System.nanoTime();
    }
}
