package io.chagres.dedupe;

import io.chagres.linux.ProcPid;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Lets workers step on the threads of an executor until nothing is left: one for each processor, for more are in each
 * other's way, and the others when files come from a disk, for which some will wait. Confined to one thread.
 */
final class StepWorkers {
    private static final long TICK_MS = 100;
    /** Fewer bytes are read by the way: directories, inodes, where files lie. */
    private static final long FROM_DISK_BYTES = 1 << 20;

    private final Executor executor;
    private final List<CompletableFuture<?>> started = new ArrayList<>();

    StepWorkers(Executor executor) {
        this.executor = executor;
    }

    /**
     * Works to the end, also where it fails: no worker is left behind.
     *
     * @param count of the workers, at most
     * @param maker of the workers, called on the thread of each
     * @param tick called on this thread several times a second
     */
    void run(Dedupe dedupe, int count, Supplier<DedupeWorker> maker, Runnable tick) throws IOException {
        started.clear();
        long own = ProcessHandle.current().pid();
        long before = ProcPid.storageReadBytes(own);
        start(before < 0 ? count : Math.min(count, Runtime.getRuntime().availableProcessors()), dedupe, maker);
        while (!isDone(dedupe)) {
            if (started.size() < count && ProcPid.storageReadBytes(own) - before >= FROM_DISK_BYTES) {
                start(count - started.size(), dedupe, maker);
            }
            tick.run();
        }
    }

    private void start(int count, Dedupe dedupe, Supplier<DedupeWorker> maker) {
        for (int i = 0; i < count; i++) {
            started.add(CompletableFuture.runAsync(() -> work(dedupe, maker), executor));
        }
    }

    private static void work(Dedupe dedupe, Supplier<DedupeWorker> maker) {
        try (DedupeWorker worker = maker.get()) {
            while (worker.step()) {}
        } catch (RuntimeException | Error e) {
            dedupe.stop(); // the others end, too
            throw e;
        }
    }

    private boolean isDone(Dedupe dedupe) throws IOException {
        CompletableFuture<Void> all = CompletableFuture.allOf(started.toArray(CompletableFuture[]::new));
        try {
            all.get(TICK_MS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
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
