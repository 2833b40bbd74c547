package io.chagres.cli.mount;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the threads on which a mount reads from the store: as many as requests that wait beside each other. */
final class MountThreads {
    private static final int THREADS = 8;
    private static final long IDLE_SECONDS = 10;

    private MountThreads() {}

    /** Returns threads that are started on demand, ended when idle, and hold up no exit. */
    static ExecutorService make() {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "chagres-mount-" + number.getAndIncrement());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
