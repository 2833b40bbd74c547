package io.chagres.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Native I/O buffers of one size, shared by threads and bounded in number, which bounds the memory of reading. A buffer
 * is allocated when first wanted and stays until {@link #releaseIdle()} or {@link #close()}. A thread that finds none
 * waits: a pool never grows beyond its bound. Safe for any thread; a virtual thread that waits leaves its carrier.
 * Taking and giving allocate nothing.
 *
 * <p>With {@code -Dio.chagres.foreign.checked=true} the pool remembers who took each buffer, and a buffer used after it
 * was given back throws; taking then allocates.
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
        /** The segment that the taker holds: the buffer, in checked mode under a scope of its own. */
        private @Nullable MemorySegment lent;
        /** In checked mode. */
        private @Nullable Loan loan;
    }

    /** Ends the life of a lent buffer and remembers who took it. */
    private static final class Loan extends Throwable {
        private static final long serialVersionUID = 1;
        private final transient Arena arena = Arena.ofShared();

        Loan() {
            super("a buffer was taken by " + Thread.currentThread());
        }
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
     * Takes a buffer, waiting for a time until one is given back.
     *
     * @param timeoutMs how long to wait at most, milliseconds; 0 or less does not wait
     * @return a buffer with unspecified content that the caller owns until it gives it back, or null
     * @throws InterruptedException if interrupted while waiting
     * @throws IllegalStateException if the pool is or gets closed
     */
    public @Nullable MemorySegment tryTake(long timeoutMs) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long restNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
            for (; ; ) {
                MemorySegment buffer = takeLocked();
                if (buffer != null || restNs <= 0) {
                    return buffer;
                }
                restNs = given.awaitNanos(restNs);
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
            Slot slot = lentSlot(buffer);
            if (slot.loan != null) {
                slot.loan.arena.close();
                slot.loan = null;
            }
            slot.lent = null;
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
     * Counts the buffers that were taken and not given back.
     *
     * @return 0 to the bound
     */
    public int taken() {
        lock.lock();
        try {
            int taken = 0;
            for (Slot slot : slots) {
                taken += slot.lent != null ? 1 : 0;
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Fails if a buffer was not given back: for the end of a test.
     *
     * @throws IllegalStateException if one is missing; in checked mode it shows, as suppressed exceptions, where each
     *     was taken
     */
    public void checkAllGiven() {
        lock.lock();
        try {
            int taken = taken();
            if (taken == 0) {
                return;
            }
            IllegalStateException leak = new IllegalStateException(taken + " of " + slots.length
                    + " buffers were not given back"
                    + (Checked.ON ? "" : "; -Dio.chagres.foreign.checked=true shows who took them"));
            for (Slot slot : slots) {
                if (slot.loan != null) {
                    leak.addSuppressed(slot.loan);
                }
            }
            throw leak;
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
                if (slot.lent == null && slot.buffer != null) {
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
            if (slot.lent != null) {
                continue;
            }
            if (slot.buffer != null) {
                return lend(slot, slot.buffer);
            }
            empty = empty == null ? slot : empty;
        }
        return empty == null ? null : lend(empty, fill(empty));
    }

    private MemorySegment fill(Slot slot) {
        Arena arena = Arena.ofShared();
        MemorySegment buffer = arena.allocate(bufferBytes, ALIGNMENT);
        slot.arena = arena;
        slot.buffer = buffer;
        return buffer;
    }

    private static MemorySegment lend(Slot slot, MemorySegment buffer) {
        MemorySegment lent = buffer;
        if (Checked.ON) {
            Loan loan = new Loan();
            slot.loan = loan;
            lent = buffer.reinterpret(loan.arena, null);
        }
        slot.lent = lent;
        return lent;
    }

    private Slot lentSlot(MemorySegment buffer) {
        for (Slot slot : slots) {
            if (slot.lent != null && slot.lent == buffer) {
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
