package io.chagres.dedupe;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Lets workers step on the threads of an executor until nothing is left. Confined to one thread. */
final class Workers {
    private static final long TICK_MS = 200;

    private final Executor executor;

    Workers(Executor executor) {
        this.executor = executor;
    }

    /**
     * Works to the end, also where it fails: no worker is left behind.
     *
     * @param count of the workers
     * @param maker of the workers, called on the thread of each
     * @param tick called on this thread several times a second
     */
    void run(Dedupe dedupe, int count, Supplier<DedupeWorker> maker, Runnable tick) throws IOException {
        CompletableFuture<?>[] all = new CompletableFuture<?>[count];
        for (int i = 0; i < count; i++) {
            all[i] = CompletableFuture.runAsync(() -> work(dedupe, maker), executor);
        }
        await(dedupe, CompletableFuture.allOf(all), tick);
    }

    private static void work(Dedupe dedupe, Supplier<DedupeWorker> maker) {
        try (DedupeWorker worker = maker.get()) {
            while (worker.step()) {}
        } catch (RuntimeException | Error e) {
            dedupe.stop(); // the others end, too
            throw e;
        }
    }

    private static void await(Dedupe dedupe, CompletableFuture<Void> all, Runnable tick) throws IOException {
        while (true) {
            try {
                all.get(TICK_MS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                tick.run();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                dedupe.stop();
                all.handle((done, failure) -> failure).join();
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }
}
