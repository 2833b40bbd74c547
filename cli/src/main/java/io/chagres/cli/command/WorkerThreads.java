package io.chagres.cli.command;

import io.chagres.archive.read.Workers;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads for the modules below, which start none; started on demand, ended when idle. Safe for any thread. */
public final class WorkerThreads extends ThreadPoolExecutor {
    private static final long IDLE_SECONDS = 10;
    private static final int MAX_READERS = 8;

    /**
     * Describes threads, and starts none yet.
     *
     * @param name what their names begin with
     * @param count how many work at once
     */
    public WorkerThreads(String name, int count) {
        super(count, count, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory(name));
        allowCoreThreadTimeOut(true);
    }

    /** Describes a thread for each processor, and no more than have work to do before disks are busy. */
    public static WorkerThreads ofProcessors(String name) {
        return new WorkerThreads(
                name, Math.min(MAX_READERS, Runtime.getRuntime().availableProcessors()));
    }

    /** Returns them as those below know them. */
    public Workers workers() {
        return new Workers(this, getMaximumPoolSize());
    }

    /** Interrupts what still runs; daemon threads hold up no exit. */
    @Override
    public void close() {
        shutdownNow();
    }

    private static ThreadFactory factory(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }
}
