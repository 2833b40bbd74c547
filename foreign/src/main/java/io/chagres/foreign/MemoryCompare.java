package io.chagres.foreign;

import io.chagres.foreign.call.Downcalls;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Compares memory at memory speed, at any alignment of either side. Equal data is the common case, so a piece is
 * compared without looking for the place of a difference; only a piece that differs is searched.
 *
 * <p>Native memory is compared by {@code memcmp}, in pieces so small that a safepoint never waits long for one. Arrays
 * are compared by a loop that the JIT turns into vector instructions; a native and a heap segment by the JDK. None of
 * the three slows down when a program uses segments of many kinds, as a loop over segment accesses does: by a factor of
 * a hundred. Safe for any thread; allocates nothing once compiled.
 */
public final class MemoryCompare {
    private static final int BLOCK = 4096;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** Pointers as numbers, because slices are objects; behind them what the JDK keeps alive, which C does not see. */
    private static final MethodHandle MEMCMP = Downcalls.critical(
            "memcmp",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS));

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
     * @throws IndexOutOfBoundsException if a range leaves its segment
     */
    public static long mismatch(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        long done = equalPieces(a, aOffset, b, bOffset, length);
        long aFrom = aOffset + done;
        long bFrom = bOffset + done;
        long rest = length - done;
        long found = MemorySegment.mismatch(a, aFrom, aFrom + rest, b, bFrom, bFrom + rest);
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
     * @throws IndexOutOfBoundsException if a range leaves its segment
     */
    public static boolean equal(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        return mismatch(a, aOffset, b, bOffset, length) < 0;
    }

    /** Returns how many bytes at the start are known to be equal; a difference, if any, is in the piece after them. */
    private static long equalPieces(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        Objects.checkFromIndexSize(aOffset, length, a.byteSize());
        Objects.checkFromIndexSize(bOffset, length, b.byteSize());
        if (a.isNative() != b.isNative()) {
            return 0;
        }
        if (a.isNative()) {
            return equalNative(a, aOffset, b, bOffset, length);
        }
        // Segments of other arrays, and read-only ones, hide their array.
        return a.heapBase().orElse(null) instanceof byte[] first && b.heapBase().orElse(null) instanceof byte[] second
                ? equalBlocks(first, (int) (a.address() + aOffset), second, (int) (b.address() + bOffset), length)
                : 0;
    }

    private static long equalNative(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        long aFrom = a.address() + aOffset;
        long bFrom = b.address() + bOffset;
        long done = 0;
        try {
            while (done < length) {
                long piece = Math.min(MemoryScan.PIECE, length - done);
                if ((int) MEMCMP.invokeExact(aFrom + done, bFrom + done, piece, a, b) != 0) {
                    return done;
                }
                done += piece;
            }
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
        return done;
    }

    private static long equalBlocks(byte[] a, int aFrom, byte[] b, int bFrom, long length) {
        int done = 0;
        while (length - done >= BLOCK && blockEquals(a, aFrom + done, b, bFrom + done)) {
            done += BLOCK;
        }
        return done;
    }

    private static boolean blockEquals(byte[] a, int aFrom, byte[] b, int bFrom) {
        long difference = 0;
        for (int i = 0; i < BLOCK; i += Long.BYTES) {
            difference |= (long) WORD.get(a, aFrom + i) ^ (long) WORD.get(b, bFrom + i);
        }
        return difference == 0;
    }
}
