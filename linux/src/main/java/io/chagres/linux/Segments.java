package io.chagres.linux;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Checks buffers before the kernel gets their address. */
final class Segments {
    private Segments() {}

    /** Returns the place the kernel may read from; no object is made for offset 0. */
    static MemorySegment at(MemorySegment buffer, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, buffer.byteSize());
        return offset == 0 ? buffer : buffer.asSlice(offset);
    }

    /** Returns an address for a call that cannot check the segment itself. */
    static long address(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("the kernel cannot see heap memory");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the segment's memory was freed");
        }
        return segment.address();
    }

    /** Returns the place the kernel may write to; no object is made for offset 0. */
    static MemorySegment writableAt(MemorySegment buffer, long offset, long length) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("cannot read into a read-only segment");
        }
        return at(buffer, offset, length);
    }
}
