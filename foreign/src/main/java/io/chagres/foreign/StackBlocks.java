package io.chagres.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The blocks that stacks of threads borrow while a frame is open. Bounded: a thread that finds no block works without
 * one, and its frames use arenas. Blocks live as long as the JVM. Safe for any thread.
 */
final class StackBlocks {
    static final int BLOCK_BYTES = 64 * 1024;
    static final int ALIGNMENT = 64;
    /** Stands for no block. */
    static final int NONE = -1;

    private static final int SLOTS = 64;
    /** The holder of each block; only the thread entered in a slot here may use the same slot of {@link #BLOCKS}. */
    private static final AtomicReferenceArray<Thread> HOLDERS = new AtomicReferenceArray<>(SLOTS);

    private static final MemorySegment[] BLOCKS = new MemorySegment[SLOTS];
    /** Slots below hold a block: few threads at a time need few blocks, which stay in the processor's caches. */
    private static final AtomicInteger MADE = new AtomicInteger();

    private StackBlocks() {}

    /** Takes a block for the calling thread; returns its slot, or {@link #NONE}. */
    static int take() {
        Thread thread = Thread.currentThread();
        int made = MADE.getPlain();
        int first = made == 0 ? 0 : (int) (thread.threadId() % made);
        for (int i = 0; i < made; i++) {
            int slot = first + i < made ? first + i : first + i - made;
            if (HOLDERS.getOpaque(slot) == null && HOLDERS.compareAndSet(slot, null, thread)) {
                return slot;
            }
        }
        for (int slot = made; slot < SLOTS; slot++) {
            if (HOLDERS.compareAndSet(slot, null, thread)) {
                return make(slot);
            }
        }
        return takeOfTheDead(thread);
    }

    static MemorySegment block(int slot) {
        return slot == NONE ? MemorySegment.NULL : BLOCKS[slot];
    }

    static void give(int slot) {
        if (slot != NONE) {
            HOLDERS.setRelease(slot, null);
        }
    }

    private static int make(int slot) {
        if (BLOCKS[slot] == null) {
            BLOCKS[slot] = Arena.global().allocate(BLOCK_BYTES, ALIGNMENT);
            MADE.accumulateAndGet(slot + 1, Math::max);
        }
        return slot;
    }

    /** A thread that ended inside a frame never gives its block back. */
    private static int takeOfTheDead(Thread thread) {
        for (int slot = 0; slot < SLOTS; slot++) {
            Thread holder = HOLDERS.get(slot);
            if (holder != null && !holder.isAlive() && HOLDERS.compareAndSet(slot, holder, thread)) {
                return make(slot);
            }
        }
        return NONE;
    }
}
