package io.chagres.archive.read;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Lets workers run tasks; it is given a few more than they run at once. It hands over the results in the order in which
 * the tasks were given, on the thread that gives them. Confined to one thread.
 *
 * @param <T> what a task returns
 */
public final class OrderedTasks<T> implements AutoCloseable {
    /** Takes results, in order. */
    @FunctionalInterface
    public interface Results<T> {
        /** Takes one. */
        void take(T result) throws IOException;
    }

    private final Workers workers;
    private final Results<T> results;
    private final Deque<FutureTask<T>> given = new ArrayDeque<>();
    private volatile boolean ending;

    /** Makes an empty row of tasks. */
    public OrderedTasks(Workers workers, Results<T> results) {
        this.workers = workers;
        this.results = results;
    }

    /**
     * Gives a task; waits while workers are two tasks each behind.
     *
     * @throws IOException what this or an earlier task threw
     */
    public void add(Callable<T> task) throws IOException {
        FutureTask<T> future = new FutureTask<>(() -> {
            if (ending) {
                throw new IOException("not begun");
            }
            return task.call();
        });
        workers.threads().execute(future);
        given.add(future);
        while (!given.isEmpty() && (given.getFirst().isDone() || given.size() > 2 * workers.count())) {
            takeFirst();
        }
    }

    /** Waits for all tasks. */
    public void finish() throws IOException {
        while (!given.isEmpty()) {
            takeFirst();
        }
    }

    private void takeFirst() throws IOException {
        try {
            results.take(given.getFirst().get());
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException fault -> throw fault;
                case null, default -> throw new IllegalStateException(e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        given.removeFirst();
    }

    /** Waits until no task runs, whatever they return: they may use memory that is about to be freed. */
    @Override
    public void close() {
        ending = true; // what has not begun need not
        boolean interrupted = false;
        while (!given.isEmpty()) {
            try {
                given.getFirst().get();
                given.removeFirst();
            } catch (ExecutionException e) {
                given.removeFirst(); // nobody will ask for it
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
