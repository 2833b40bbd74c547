package io.chagres.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Counts what the calling thread allocates; on a virtual thread, what all do: the JVM counts nothing finer. */
public final class Allocations {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** So late the JIT may be on a machine that has other work. */
    private static final long LATE_NS = 20_000_000_000L;

    private Allocations() {}

    /**
     * Runs a piece of work in rounds and returns the fewest bytes a round allocated: warm-up rounds do not count. Ends
     * with the first round that allocates nothing, so a large number of rounds costs time only where the JIT is late;
     * where all allocate it tries more.
     */
    public static long fewestBytes(int rounds, Runnable round) {
        long fewest = Long.MAX_VALUE;
        long endNs = System.nanoTime() + LATE_NS;
        for (int i = 0; fewest > 0 && (i < rounds || System.nanoTime() < endNs); i++) {
            long before = allocated();
            round.run();
            fewest = Math.min(fewest, allocated() - before);
        }
        return fewest;
    }

    /** Counts what the calling thread allocated so far, in bytes. */
    public static long allocated() {
        return Thread.currentThread().isVirtual()
                ? THREADS.getTotalThreadAllocatedBytes()
                : THREADS.getCurrentThreadAllocatedBytes();
    }
}
