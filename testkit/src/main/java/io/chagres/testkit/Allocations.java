package io.chagres.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** Counts what threads allocate. */
public final class Allocations {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocations() {}

    /**
     * Runs a piece of work in rounds and returns the fewest bytes a round allocated: warm-up rounds count no more. Ends
     * with the first round that allocates nothing, so many rounds cost time only where the JIT is late. Counts the
     * calling platform thread.
     */
    public static long fewestBytes(int rounds, Runnable round) {
        return fewestBytes(rounds, THREADS::getCurrentThreadAllocatedBytes, round);
    }

    /** The same on a virtual thread. They have no counter of their own, so all threads are counted. */
    public static long fewestBytesOfVirtualThread(int rounds, Runnable round) {
        long[] fewest = new long[1];
        Throwable[] failure = new Throwable[1];
        Thread thread = Thread.ofVirtual()
                .uncaughtExceptionHandler((failed, thrown) -> failure[0] = thrown)
                .start(() -> fewest[0] = fewestBytes(rounds, THREADS::getTotalThreadAllocatedBytes, round));
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
        if (failure[0] != null) {
            throw new AssertionError("failed on a virtual thread", failure[0]);
        }
        return fewest[0];
    }

    private static long fewestBytes(int rounds, LongSupplier counter, Runnable round) {
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < rounds && fewest > 0; i++) {
            long before = counter.getAsLong();
            round.run();
            fewest = Math.min(fewest, counter.getAsLong() - before);
        }
        return fewest;
    }
}
