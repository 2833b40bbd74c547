package io.chagres.foreign;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Compares memory at memory speed. Equal data is the common case, so a block is compared without looking for the place
 * of a difference, in a loop the JIT turns into vector instructions; only a block that differs is searched. Safe for
 * any thread; allocates nothing.
 */
public final class MemoryCompare {
    private static final int BLOCK = 4096;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private MemoryCompare() {}

    /**
     * Finds the first byte in which two ranges differ.
     *
     * @param a native or heap memory
     * @param aOffset where the first range starts, bytes
     * @param b native or heap memory
     * @param bOffset where the second range starts, bytes
     * @param length the bytes to compare
     * @return the index of the first difference relative to the offsets, or -1 if the ranges are equal
     */
    public static long mismatch(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        Objects.checkFromIndexSize(aOffset, length, a.byteSize());
        Objects.checkFromIndexSize(bOffset, length, b.byteSize());
        long done = 0;
        while (length - done >= BLOCK && blockEquals(a, aOffset + done, b, bOffset + done)) {
            done += BLOCK;
        }
        long piece = Math.min(BLOCK, length - done);
        long aFrom = aOffset + done;
        long bFrom = bOffset + done;
        long found = MemorySegment.mismatch(a, aFrom, aFrom + piece, b, bFrom, bFrom + piece);
        return found < 0 ? -1 : done + found;
    }

    /**
     * Tells whether two ranges hold the same bytes.
     *
     * @param a native or heap memory
     * @param aOffset where the first range starts, bytes
     * @param b native or heap memory
     * @param bOffset where the second range starts, bytes
     * @param length the bytes to compare
     * @return true if all are equal
     */
    public static boolean equal(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        return mismatch(a, aOffset, b, bOffset, length) < 0;
    }

    private static boolean blockEquals(MemorySegment a, long aFrom, MemorySegment b, long bFrom) {
        long difference = 0;
        for (int i = 0; i < BLOCK; i += Long.BYTES) {
            difference |= a.get(LONG, aFrom + i) ^ b.get(LONG, bFrom + i);
        }
        return difference == 0;
    }
}
