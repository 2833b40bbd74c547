package io.chagres.foreign;

import io.chagres.foreign.call.Downcalls;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Objects;

/**
 * Compares memory at memory speed, at any alignment of either side. Equal data is the common case, so a piece is
 * compared without looking for the place of a difference; only a piece that differs is searched.
 *
 * <p>Native memory is compared by {@code memcmp}, in pieces so small that a safepoint never waits long for one; heap
 * memory by the JDK. Neither slows down when a program uses segments of many kinds, as a loop over segment accesses
 * does: by a factor of a hundred. Safe for any thread; allocates nothing once compiled.
 */
public final class MemoryCompare {
    /** A critical call delays safepoints: 128 KiB take some ten microseconds even from cold memory. */
    static final long PIECE = 128 * 1024;

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

    private static final MethodHandle MEMCMP_ARRAY = Downcalls.criticalOnHeap(
            "memcmp",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
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
     * Returns whether two ranges hold the same bytes.
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

    /** Compares with a whole segment: native memory with an array as fast as with native memory. */
    static boolean equalsAll(MemorySegment segment, long offset, MemorySegment whole) {
        long length = whole.byteSize();
        if (!segment.isNative() || length > PIECE) {
            return equal(segment, offset, whole, 0, length);
        }
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        try {
            return (int) MEMCMP_ARRAY.invokeExact(segment.address() + offset, whole, length, segment) == 0;
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    /** Returns how many bytes at the start are known to be equal; a difference, if any, is in the piece after them. */
    private static long equalPieces(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        Objects.checkFromIndexSize(aOffset, length, a.byteSize());
        Objects.checkFromIndexSize(bOffset, length, b.byteSize());
        return a.isNative() && b.isNative() ? equalNative(a, aOffset, b, bOffset, length) : 0;
    }

    /** Returns how many bytes at the start of two ranges within native segments are known to be equal. */
    static long equalNative(MemorySegment a, long aOffset, MemorySegment b, long bOffset, long length) {
        long aFrom = a.address() + aOffset;
        long bFrom = b.address() + bOffset;
        long done = 0;
        try {
            while (done < length) {
                long piece = Math.min(PIECE, length - done);
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
}
