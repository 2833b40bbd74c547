package io.chagres.testkit;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions: a test never sleeps for a guessed time. */
public final class Await {
    private static final long LIMIT_NS = 60_000_000_000L;
    private static final long STEP_NS = 2_000_000L;

    private Await() {}

    /** Waits until a condition holds; fails with its name after a minute. */
    public static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("did not happen within a minute: " + what);
            }
            LockSupport.parkNanos(STEP_NS);
        }
    }
}
