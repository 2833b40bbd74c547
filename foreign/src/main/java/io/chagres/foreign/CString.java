package io.chagres.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/** Bytes to NUL-terminated C strings and back, without character sets in between. Safe for any thread. */
public final class CString {
    /** The empty string: one NUL that lives as long as the JVM. */
    public static final MemorySegment EMPTY = Arena.global().allocate(1).asReadOnly();

    private CString() {}

    /**
     * Copies bytes and a terminating NUL into native memory.
     *
     * @param bytes the string; a NUL inside would end it early, callers exclude that
     * @param allocator where to; a {@link Frame} makes this free of Java allocation
     * @return {@code bytes.length + 1} bytes owned by the allocator
     */
    public static MemorySegment encode(byte[] bytes, SegmentAllocator allocator) {
        MemorySegment string = allocator.allocate(bytes.length + 1L, 1);
        MemorySegment.copy(bytes, 0, string, ValueLayout.JAVA_BYTE, 0, bytes.length);
        string.set(ValueLayout.JAVA_BYTE, bytes.length, (byte) 0);
        return string;
    }

    /**
     * Finds the length of a string.
     *
     * @param segment native memory
     * @param offset where the string starts, bytes
     * @param limit how many bytes to look at most
     * @return the bytes before the first NUL, or {@code limit} if there is none
     */
    public static long length(MemorySegment segment, long offset, long limit) {
        long zero = MemoryScan.indexOfZero(segment, offset, limit);
        return zero < 0 ? limit : zero;
    }

    /**
     * Copies a string out of native memory.
     *
     * @param segment native memory
     * @param offset where the string starts, bytes
     * @param limit how many bytes to look at most
     * @return the bytes before the first NUL
     */
    public static byte[] decode(MemorySegment segment, long offset, long limit) {
        byte[] bytes = new byte[Math.toIntExact(length(segment, offset, limit))];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, bytes, 0, bytes.length);
        return bytes;
    }
}
