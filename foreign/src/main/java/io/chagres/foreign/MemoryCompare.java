package io.chagres.foreign;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Compares memory. A block of words is compared without an early exit, which the compiler turns into vector code; only
 * the block that differs is searched for the position. Stateless, safe for any thread, allocates nothing.
 */
public final class MemoryCompare {
    private static final int BLOCK_BYTES = 4096;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private MemoryCompare() {}

    /**
     * Returns the position of the first byte in which two ranges differ, counted from their start, or -1.
     *
     * @param a one side, heap or native, borrowed until return
     * @param aOffset start in bytes
     * @param b the other side
     * @param bOffset start in bytes
     * @param length bytes to compare
     * @throws IndexOutOfBoundsException when a range is not within its segment
     */
    public static long mismatch(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        Objects.checkFromIndexSize(aOffset, length, a.byteSize());
        Objects.checkFromIndexSize(bOffset, length, b.byteSize());
        long at = 0;
        while (length - at >= BLOCK_BYTES) {
            if (differs(a, aOffset + at, b, bOffset + at)) {
                return at + position(a, aOffset + at, b, bOffset + at, BLOCK_BYTES);
            }
            at += BLOCK_BYTES;
        }
        long found = position(a, aOffset + at, b, bOffset + at, length - at);
        return found < 0 ? -1 : at + found;
    }

    /** Says whether two ranges are equal; the parameters are those of {@link #mismatch}. */
    public static boolean equal(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        return mismatch(a, aOffset, b, bOffset, length) < 0;
    }

    private static boolean differs(MemorySegment a, long aOffset, MemorySegment b, long bOffset) {
        long difference = 0;
        for (int i = 0; i < BLOCK_BYTES; i += Long.BYTES) {
            difference |= a.get(LONG, aOffset + i) ^ b.get(LONG, bOffset + i);
        }
        return difference != 0;
    }

    private static long position(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        return MemorySegment.mismatch(a, aOffset, aOffset + length, b, bOffset, bOffset + length);
    }
}
