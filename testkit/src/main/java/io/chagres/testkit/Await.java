package io.chagres.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions: a test never sleeps for a guessed time. */
public final class Await {
    private static final long LIMIT_SECONDS = 60;
    private static final long FIRST_STEP_NS = 2_000_000L;
    private static final long LAST_STEP_NS = 20_000_000L;

    /** What a test waits for. */
    @FunctionalInterface
    public interface Awaited {
        /** Says whether it has come. */
        boolean holds() throws IOException;
    }

    private Await() {}

    /** Waits until a condition holds; fails with its name after a minute, later on a busy machine. */
    public static void until(String what, Awaited condition) {
        await(what, condition, FIRST_STEP_NS);
    }

    /** Asks until a condition holds that waits itself, as a step of a loop does; fails like the other. */
    public static void steps(String what, Awaited condition) {
        await(what, condition, 0);
    }

    private static void await(String what, Awaited condition, long firstStepNs) {
        try (Spent.Span _ = Spent.on(Spending.CONDITIONS)) {
            Patience patience = new Patience(LIMIT_SECONDS);
            long stepNs = firstStepNs;
            while (!condition.holds()) {
                if (patience.isOver()) {
                    throw new AssertionError("did not happen within a minute: " + what);
                }
                if (stepNs > 0) {
                    LockSupport.parkNanos(stepNs);
                    stepNs = Math.min(stepNs + stepNs / 8, LAST_STEP_NS); // looking takes time from what is waited for
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(what, e);
        }
    }
}
