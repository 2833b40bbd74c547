package io.chagres.archive.read;

import java.util.concurrent.Executor;

/**
 * Threads that a caller lends to work that can be split. Nothing is started here. Immutable.
 *
 * @param threads run tasks; stay the caller's, and run every task that they took
 * @param count how many tasks they run at once
 */
public record Workers(Executor threads, int count) {
    /** The thread that asks. */
    public static final Workers NONE = new Workers(Runnable::run, 1);
}
