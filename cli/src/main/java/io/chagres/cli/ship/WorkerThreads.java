package io.chagres.cli.ship;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads on which the shipper compresses and stores; started on demand, ended when idle. Safe for any thread. */
final class WorkerThreads implements Executor, AutoCloseable {
    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 10;

    private final AtomicInteger number = new AtomicInteger();
    private final ThreadPoolExecutor pool = new ThreadPoolExecutor(
            THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::thread);

    WorkerThreads() {
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        pool.execute(task);
    }

    /** Interrupts what still runs; daemon threads hold up no exit. */
    @Override
    public void close() {
        pool.shutdownNow();
    }

    private Thread thread(Runnable task) {
        Thread thread = new Thread(task, "chagres-worker-" + number.getAndIncrement());
        thread.setDaemon(true);
        return thread;
    }
}
