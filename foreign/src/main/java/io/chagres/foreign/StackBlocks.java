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

    private static final int SLOTS = 64;
    private static final AtomicReferenceArray<MemorySegment> IDLE = new AtomicReferenceArray<>(SLOTS);
    private static final AtomicInteger MADE = new AtomicInteger();

    private StackBlocks() {}

    static MemorySegment take() {
        int first = firstSlot();
        for (int i = 0; i < SLOTS; i++) {
            int slot = (first + i) % SLOTS;
            MemorySegment block = IDLE.getOpaque(slot);
            if (block != null && IDLE.compareAndSet(slot, block, null)) {
                return block;
            }
        }
        if (MADE.get() < SLOTS && MADE.getAndIncrement() < SLOTS) {
            return Arena.global().allocate(BLOCK_BYTES, ALIGNMENT);
        }
        return MemorySegment.NULL;
    }

    static void give(MemorySegment block) {
        if (block.byteSize() == 0) {
            return;
        }
        int first = firstSlot();
        // There are never more blocks than slots, so a slot is free or becomes free while others take.
        for (int i = 0; ; i++) {
            int slot = (first + i) % SLOTS;
            if (IDLE.getOpaque(slot) == null && IDLE.compareAndSet(slot, null, block)) {
                return;
            }
        }
    }

    private static int firstSlot() {
        return (int) (Thread.currentThread().threadId() & (SLOTS - 1));
    }
}
