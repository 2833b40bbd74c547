package io.chagres.ship.follow;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Runs, beside the loop that ships, the work that the loop must not wait for: reading much of a file, and any reading
 * of a store. A task runs on a worker and shares nothing with the loop; its result is taken in a step of the loop.
 * Confined to the shipper's thread; only the tasks run on the executor.
 */
public final class Offload {
    /** A task that runs on a worker. */
    @FunctionalInterface
    interface Task<T> {
        /** Runs once, on any thread. */
        T run() throws IOException;
    }

    private final Executor executor;
    private final Runnable wakeup;
    private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    private int running;

    /** Runs tasks on an executor, and wakes the loop when one has ended. */
    public Offload(Executor executor, Runnable wakeup) {
        this.executor = executor;
        this.wakeup = wakeup;
    }

    /**
     * Starts a task.
     *
     * @param task owns its arguments, and closes them
     * @param answer takes its result on the shipper's thread
     * @param failed takes its exception there instead; a RuntimeException or an Error is thrown by the step
     */
    public <T> void start(Task<T> task, Consumer<T> answer, Consumer<IOException> failed) {
        running++;
        executor.execute(() -> {
            Runnable answered;
            try {
                T result = task.run();
                answered = () -> answer.accept(result);
            } catch (RuntimeException defect) {
                answered = () -> {
                    throw defect;
                };
            } catch (Error error) {
                answered = () -> {
                    throw error;
                };
            } catch (IOException e) {
                answered = () -> failed.accept(e);
            }
            answers.add(answered);
            wakeup.run();
        });
    }

    /** Says whether nothing runs and every answer was taken. */
    public boolean isIdle() {
        return running == 0;
    }

    /** Takes the answers that have come; returns whether there were any. */
    public boolean step() {
        boolean any = false;
        for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
            running--;
            any = true;
            answer.run();
        }
        return any;
    }
}
