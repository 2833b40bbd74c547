package io.chagres.ship;

/**
 * Measures how fast something goes while it goes: idle time does not count, nor does work so small that its rate says
 * nothing about large work. Confined to one thread.
 */
final class BusyRate {
    private static final int SAMPLES = 8;
    private static final long SAMPLE_MS = 10_000;
    private static final long OLD_MS = 3_600_000;

    private final long leastBytes;
    private final long[] bytes = new long[SAMPLES];
    private final long[] ms = new long[SAMPLES];
    private final long[] atMs = new long[SAMPLES];
    private int next;
    private long busyMs;
    private long before;
    private long lastMs;
    private boolean busy;

    /**
     * Begins with nothing measured.
     *
     * @param leastBytes bytes that one piece of work must have moved, from its begin until nothing was to do, to say
     *     something
     */
    BusyRate(long leastBytes) {
        this.leastBytes = leastBytes;
    }

    /**
     * Takes one step.
     *
     * @param isBusy whether there is something to do from now on
     * @param total bytes that went so far
     */
    void step(long nowMs, boolean isBusy, long total) {
        if (busy) {
            busyMs += nowMs - lastMs;
        }
        if (busy && (!isBusy || busyMs >= SAMPLE_MS)) {
            take(nowMs, total - before);
            busy = false;
        }
        if (!busy) {
            busyMs = 0;
            before = total;
        }
        busy = isBusy;
        lastMs = nowMs;
    }

    /** A long piece of work counts however little it moved: such work makes a rate small. */
    private void take(long nowMs, long went) {
        if (went < leastBytes && busyMs < SAMPLE_MS) {
            return;
        }
        bytes[next] = went;
        ms[next] = Math.max(1, busyMs);
        atMs[next] = nowMs;
        next = (next + 1) % SAMPLES;
    }

    /** Returns the bytes a second over the last pieces of work; -1 when there were none within the last hour. */
    long perSecond(long nowMs) {
        long went = 0;
        long took = 0;
        for (int i = 0; i < SAMPLES; i++) {
            boolean counts = ms[i] > 0 && nowMs - atMs[i] <= OLD_MS;
            went += counts ? bytes[i] : 0;
            took += counts ? ms[i] : 0;
        }
        return took == 0 ? -1 : (long) (went * 1000.0 / took);
    }
}
