package io.chagres.foreign.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/** Makes segments of memory that the kernel gave, such as mmap(2) does. Safe for any thread. */
@SuppressWarnings("restricted")
public final class KernelMemory {
    private KernelMemory() {}

    /**
     * Makes the segment of a range of addresses; a use after its arena closed throws an exception.
     *
     * @param address of the first byte
     * @param lengthBytes 0 or more
     * @param arena its owner
     * @param release gives the memory back to the kernel; called once, with the address, when the arena closes
     * @return the segment, valid until the arena closes
     */
    public static MemorySegment segment(long address, long lengthBytes, Arena arena, LongConsumer release) {
        return MemorySegment.ofAddress(address)
                .reinterpret(lengthBytes, arena, memory -> release.accept(memory.address()));
    }
}
