package io.chagres.cli.dedupe;

import io.chagres.dedupe.Dedupe;
import io.chagres.dedupe.DedupeWorker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Lets workers step on threads of their own until nothing is left. */
final class DedupeThreads {
    private static final long TICK_MS = 200;

    private final int count;

    DedupeThreads(int count) {
        this.count = count;
    }

    /**
     * Works to the end.
     *
     * @param makers of the workers, each called on the thread of its worker
     * @param tick called on this thread several times a second
     */
    void run(Dedupe dedupe, Supplier<DedupeWorker> makers, Runnable tick) throws IOException {
        ExecutorService pool = Executors.newFixedThreadPool(count, task -> {
            Thread thread = new Thread(task, "chagres-dedupe");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                workers.add(pool.submit(() -> work(makers)));
            }
            for (Future<?> worker : workers) {
                await(worker, tick);
            }
        } catch (IOException | RuntimeException e) {
            dedupe.stop();
            throw e;
        } finally {
            pool.shutdown();
        }
    }

    private static void work(Supplier<DedupeWorker> makers) {
        try (DedupeWorker worker = makers.get()) {
            while (worker.step()) {}
        }
    }

    private static void await(Future<?> worker, Runnable tick) throws IOException {
        for (; ; ) {
            try {
                worker.get(TICK_MS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                tick.run();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }
}
