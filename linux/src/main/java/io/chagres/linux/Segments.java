package io.chagres.linux;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Finds the address of a place in a buffer; a slice would be an object per call. */
final class Segments {
    private Segments() {}

    /** Returns where the kernel may read a range. */
    static long address(MemorySegment buffer, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, buffer.byteSize());
        return buffer.address() + offset;
    }

    /** Returns where the kernel may write a range. */
    static long writableAddress(MemorySegment buffer, long offset, long length) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("cannot read into a read-only segment");
        }
        return address(buffer, offset, length);
    }

    /** Refuses memory that the kernel cannot fill with a structure: returns it. */
    static MemorySegment structure(MemorySegment memory, long bytes, long alignment) {
        long address = borrowed(memory, writableAddress(memory, 0, bytes));
        if (address % alignment != 0) {
            throw new IllegalArgumentException("memory that is not aligned to " + alignment);
        }
        return memory;
    }

    /** Refuses memory that the kernel cannot use, where no call that borrows the memory would: returns its address. */
    static long borrowed(MemorySegment memory, long address) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("not native memory");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the memory is freed already");
        }
        if (!memory.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException("the memory belongs to another thread");
        }
        return address;
    }
}
