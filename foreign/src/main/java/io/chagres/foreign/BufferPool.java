package io.chagres.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Native I/O buffers of one size, shared by threads and bounded in number: what bounds the memory of reading. A buffer
 * is allocated when first wanted and stays until {@link #releaseIdle()} or {@link #close()}. Safe for any thread;
 * taking and giving allocate nothing.
 */
public final class BufferPool implements AutoCloseable {
    private static final int ALIGNMENT = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition given = lock.newCondition();
    private final int bufferBytes;
    private final Slot[] slots;
    private boolean closed;

    /** One buffer, or the place for one. Guarded by the lock. */
    private static final class Slot {
        private @Nullable Arena arena;
        private @Nullable MemorySegment buffer;
        private boolean taken;
    }

    /**
     * Makes an empty pool.
     *
     * @param bufferBytes the size of every buffer, 1 or more
     * @param maxBuffers how many may exist at once, 1 or more
     */
    public BufferPool(int bufferBytes, int maxBuffers) {
        if (bufferBytes < 1 || maxBuffers < 1) {
            throw new IllegalArgumentException(maxBuffers + " buffers of " + bufferBytes + " bytes");
        }
        this.bufferBytes = bufferBytes;
        slots = new Slot[maxBuffers];
        for (int i = 0; i < maxBuffers; i++) {
            slots[i] = new Slot();
        }
    }

    /**
     * Returns the size of every buffer.
     *
     * @return bytes
     */
    public int bufferBytes() {
        return bufferBytes;
    }

    /**
     * Takes a buffer if one is idle or may still be made.
     *
     * @return a buffer with unspecified content that the caller owns until it gives it back, or null
     * @throws IllegalStateException if the pool is closed
     */
    public @Nullable MemorySegment tryTake() {
        lock.lock();
        try {
            return takeLocked();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a buffer, waiting until one is given back.
     *
     * @return a buffer with unspecified content that the caller owns until it gives it back
     * @throws InterruptedException if interrupted while waiting
     * @throws IllegalStateException if the pool is or gets closed
     */
    public MemorySegment take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (; ; ) {
                MemorySegment buffer = takeLocked();
                if (buffer != null) {
                    return buffer;
                }
                given.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a buffer back. After the pool closed, this frees it.
     *
     * @param buffer a whole buffer that was taken from this pool
     * @throws IllegalArgumentException if it is not, or was given back already
     */
    public void give(MemorySegment buffer) {
        lock.lock();
        try {
            Slot slot = takenSlot(buffer);
            slot.taken = false;
            if (closed) {
                free(slot);
            } else {
                given.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Frees the memory of all buffers that nobody holds; they are allocated again when wanted.
     *
     * @return how many were freed
     */
    public int releaseIdle() {
        lock.lock();
        try {
            int freed = 0;
            for (Slot slot : slots) {
                if (!slot.taken && slot.buffer != null) {
                    free(slot);
                    freed++;
                }
            }
            return freed;
        } finally {
            lock.unlock();
        }
    }

    /** Frees all idle buffers now and taken ones when they are given back; wakes and refuses takers. Idempotent. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            releaseIdle();
            given.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable MemorySegment takeLocked() {
        if (closed) {
            throw new IllegalStateException("the buffer pool is closed");
        }
        Slot empty = null;
        for (Slot slot : slots) {
            if (slot.taken) {
                continue;
            }
            if (slot.buffer != null) {
                slot.taken = true;
                return slot.buffer;
            }
            empty = empty == null ? slot : empty;
        }
        return empty == null ? null : fill(empty);
    }

    private MemorySegment fill(Slot slot) {
        Arena arena = Arena.ofShared();
        MemorySegment buffer = arena.allocate(bufferBytes, ALIGNMENT);
        slot.arena = arena;
        slot.buffer = buffer;
        slot.taken = true;
        return buffer;
    }

    private Slot takenSlot(MemorySegment buffer) {
        for (Slot slot : slots) {
            if (slot.taken && slot.buffer == buffer) {
                return slot;
            }
        }
        throw new IllegalArgumentException("not a buffer taken from this pool");
    }

    private static void free(Slot slot) {
        Arena arena = slot.arena;
        slot.arena = null;
        slot.buffer = null;
        if (arena != null) {
            arena.close();
        }
    }
}
