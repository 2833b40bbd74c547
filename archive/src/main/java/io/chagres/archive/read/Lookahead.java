package io.chagres.archive.read;

import java.util.concurrent.Semaphore;

/**
 * Threads and a bound of memory that readers of large files share to read ahead. A thread that reads never waits for
 * either: what no other thread has begun it reads by itself. Safe for any thread.
 */
public final class Lookahead {
    /** Nothing is read ahead. */
    public static final Lookahead NONE = new Lookahead(Workers.NONE, 0);

    /** The memory of a block: its bytes, and the buffers that decompress them. */
    public static final long BLOCK_MEMORY_BYTES = 2L << 20;

    private final Workers workers;
    private final Semaphore blocks;

    /**
     * Shares threads.
     *
     * @param workers read blocks; stay the caller's
     * @param blocks how many blocks there are at most, of all readers together
     */
    public Lookahead(Workers workers, int blocks) {
        this.workers = workers;
        this.blocks = new Semaphore(blocks);
    }

    /** Says how many blocks are of use to one reader: one for each thread, one that is taken, one that waits. */
    int wanted() {
        return workers.count() + 2;
    }

    /** Takes a block, which is to be given back; false when there is none. */
    boolean tryTake() {
        return blocks.tryAcquire();
    }

    /** Says how many blocks nobody has. */
    int freeBlocks() {
        return blocks.availablePermits();
    }

    /** Gives blocks back. */
    void give(int count) {
        blocks.release(count);
    }

    /** Lets a worker run a task some time. */
    void execute(Runnable task) {
        workers.threads().execute(task);
    }
}
