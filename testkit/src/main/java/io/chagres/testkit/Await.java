package io.chagres.testkit;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions: a test never sleeps for a guessed time. */
public final class Await {
    private static final long LIMIT_SECONDS = 60;
    private static final long FIRST_STEP_NS = 2_000_000L;
    private static final long LAST_STEP_NS = 20_000_000L;

    private Await() {}

    /** Waits until a condition holds; fails with its name after a minute, later on a busy machine. */
    public static void until(String what, BooleanSupplier condition) {
        try (Spent.Span _ = Spent.on(Spending.CONDITIONS)) {
            await(what, condition);
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        Patience patience = new Patience(LIMIT_SECONDS);
        long stepNs = FIRST_STEP_NS;
        while (!condition.getAsBoolean()) {
            if (patience.isOver()) {
                throw new AssertionError("did not happen within a minute: " + what);
            }
            LockSupport.parkNanos(stepNs);
            stepNs = Math.min(stepNs + stepNs / 8, LAST_STEP_NS); // looking takes time from what is waited for
        }
    }
}
