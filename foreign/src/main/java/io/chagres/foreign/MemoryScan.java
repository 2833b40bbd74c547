package io.chagres.foreign;

import io.chagres.foreign.call.Downcalls;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Objects;

/**
 * Searches native memory at memory speed. The C library does the work in pieces so small that a safepoint never waits
 * long for one. Safe for any thread; allocates nothing once compiled.
 */
public final class MemoryScan {
    private static final int BLOCK = 512;
    private static final MemorySegment ZEROS = Arena.global().allocate(BLOCK);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    /**
     * The pointer as a number, because a slice for each piece would be an object; at the end the segment that the JDK
     * keeps alive, which C does not see.
     */
    private static final FunctionDescriptor POINTER_INT_SIZE = FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG,
            ValueLayout.ADDRESS);

    private static final MethodHandle MEMCHR = Downcalls.critical("memchr", POINTER_INT_SIZE);
    private static final MethodHandle MEMRCHR = Downcalls.critical("memrchr", POINTER_INT_SIZE);
    private static final MethodHandle MEMMEM = Downcalls.critical(
            "memmem",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS));

    private MemoryScan() {}

    /**
     * Finds the first zero byte.
     *
     * @param segment native memory
     * @param offset where to start, bytes
     * @param length how many bytes to look at
     * @return its index relative to {@code offset}, or -1
     */
    public static long indexOfZero(MemorySegment segment, long offset, long length) {
        return indexOf(segment, (byte) 0, offset, length);
    }

    /**
     * Finds the first byte with a value.
     *
     * @param segment native memory
     * @param value the byte
     * @param offset where to start, bytes
     * @param length how many bytes to look at
     * @return its index relative to {@code offset}, or -1
     */
    public static long indexOf(MemorySegment segment, byte value, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        for (long done = 0; done < length; done += MemoryCompare.PIECE) {
            long piece = Math.min(MemoryCompare.PIECE, length - done);
            long found = find(MEMCHR, segment, offset + done, value, piece);
            if (found >= 0) {
                return done + found;
            }
        }
        return -1;
    }

    /**
     * Finds the first place of some bytes.
     *
     * @param segment native memory
     * @param needle native memory, at least one byte
     * @param offset where to start, bytes
     * @param length how many bytes to look at; the needle lies within them wholly
     * @return its index relative to {@code offset}, or -1
     */
    public static long indexOf(MemorySegment segment, MemorySegment needle, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        long size = needle.byteSize();
        if (!segment.isNative() || !needle.isNative() || size == 0) {
            throw new IllegalArgumentException("heap memory has no address, and no bytes are everywhere");
        }
        long from = segment.address() + offset;
        try {
            for (long done = 0; length - done >= size; done += MemoryCompare.PIECE) {
                long piece = Math.min(MemoryCompare.PIECE + size - 1, length - done);
                long found = (long) MEMMEM.invokeExact(from + done, piece, needle.address(), size, segment, needle);
                if (found != 0) {
                    return found - from;
                }
            }
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
        return -1;
    }

    /** Returns whether native memory of less than a piece holds a byte. */
    static boolean contains(MemorySegment segment, long offset, int length, byte value) {
        return find(MEMCHR, segment, offset, value, length) >= 0;
    }

    /**
     * Finds the last byte with a value.
     *
     * @param segment native memory
     * @param value the byte
     * @param offset where to start, bytes
     * @param length how many bytes to look at
     * @return its index relative to {@code offset}, or -1
     */
    public static long lastIndexOf(MemorySegment segment, byte value, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        for (long rest = length; rest > 0; rest -= Math.min(MemoryCompare.PIECE, rest)) {
            long piece = Math.min(MemoryCompare.PIECE, rest);
            long found = find(MEMRCHR, segment, offset + rest - piece, value, piece);
            if (found >= 0) {
                return rest - piece + found;
            }
        }
        return -1;
    }

    /**
     * Counts the zero bytes at the end of a range.
     *
     * @param segment native memory; of heap memory each word is looked at
     * @param offset where the range starts, bytes
     * @param length its length in bytes
     * @return 0 to {@code length}
     */
    public static long trailingZeros(MemorySegment segment, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        long end = offset + length;
        while (segment.isNative() && end - offset >= BLOCK && isZero(segment, end - BLOCK)) {
            end -= BLOCK;
        }
        while (end - offset >= Long.BYTES && segment.get(LONG, end - Long.BYTES) == 0) {
            end -= Long.BYTES;
        }
        while (end > offset && segment.get(ValueLayout.JAVA_BYTE, end - 1) == 0) {
            end--;
        }
        return offset + length - end;
    }

    /** A loop over words depends on what else the JIT saw: it may be slow, or allocate a segment for each block. */
    private static boolean isZero(MemorySegment segment, long block) {
        return MemoryCompare.equalNative(segment, block, ZEROS, 0, BLOCK) == BLOCK;
    }

    private static long find(MethodHandle function, MemorySegment segment, long offset, byte value, long length) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("heap memory has no address");
        }
        long from = segment.address() + offset;
        try {
            long found = (long) function.invokeExact(from, value & 0xff, length, segment);
            return found == 0 ? -1 : found - from;
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }
}
