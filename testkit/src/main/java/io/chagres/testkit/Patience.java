package io.chagres.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * How long to wait for what may hang: a limit, and as much longer as work on this machine meanwhile waited for a
 * processor, up to five times the limit. So a busy machine is not taken for a hang. From {@code /proc/pressure/cpu},
 * where the kernel has it. Confined to one thread.
 */
public final class Patience {
    private static final Path PRESSURE = Path.of("/proc/pressure/cpu");
    private static final String TOTAL = "total=";
    private static final int MOST_LIMITS_MORE = 4;

    private final long startNs = System.nanoTime();
    private final long startStalledNs = stalledNs();
    private final long limitNs;

    /** Starts to wait. */
    public Patience(long limitSeconds) {
        limitNs = TimeUnit.SECONDS.toNanos(limitSeconds);
    }

    /** Says whether it has been waited long enough. */
    public boolean isOver() {
        long waitedNs = System.nanoTime() - startNs;
        return waitedNs > limitNs && isOver(waitedNs, limitNs, stalledNs() - startStalledNs);
    }

    static boolean isOver(long waitedNs, long limitNs, long stalledNs) {
        return waitedNs > limitNs + Math.min(stalledNs, MOST_LIMITS_MORE * limitNs);
    }

    /** Waits for the end of a process; returns false if that does not come. */
    public static boolean ends(Process process, long limitSeconds) throws InterruptedException {
        Patience patience = new Patience(limitSeconds);
        while (!process.waitFor(1, TimeUnit.SECONDS)) {
            if (patience.isOver()) {
                return false;
            }
        }
        return true;
    }

    /** The first line says how long something that could run did not, in total and in microseconds. */
    private static long stalledNs() {
        try {
            String some = Files.readAllLines(PRESSURE).getFirst();
            return TimeUnit.MICROSECONDS.toNanos(Long.parseLong(some.substring(some.indexOf(TOTAL) + TOTAL.length())));
        } catch (IOException e) {
            return 0; // a kernel without it, or one that is set not to count
        }
    }
}
