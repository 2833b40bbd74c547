package io.chagres.testkit;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;

/** Runs a piece of a test on a virtual thread. */
public final class OnVirtualThread {
    private OnVirtualThread() {}

    /** Returns the task's result; its exception is thrown here. */
    public static long get(LongSupplier task) {
        FutureTask<Long> future = new FutureTask<>(task::getAsLong);
        Thread.startVirtualThread(future);
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new AssertionError("failed on a virtual thread", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
