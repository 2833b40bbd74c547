package io.chagres.foreign;

import io.chagres.foreign.call.MemoryCalls;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Looks for bytes in native memory. Stateless, safe for any thread, allocates nothing. */
public final class MemoryScan {
    /** A critical call holds up every safepoint while it runs: this many bytes take a few microseconds. */
    private static final long PIECE_BYTES = 128 * 1024;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private MemoryScan() {}

    /**
     * Returns the position of the first NUL byte of a range, counted from the start of the range, or -1.
     *
     * @param segment native memory, borrowed until return
     * @param offset start of the range in bytes
     * @param length length of the range in bytes
     * @throws IndexOutOfBoundsException when the range is not within the segment
     */
    public static long indexOfZero(MemorySegment segment, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        for (long at = 0; at < length; at += PIECE_BYTES) {
            long found = MemoryCalls.first(segment, offset + at, 0, Math.min(PIECE_BYTES, length - at));
            if (found >= 0) {
                return at + found;
            }
        }
        return -1;
    }

    /**
     * Returns the position of the last such byte of a range, counted from the start of the range, or -1.
     *
     * @param segment native memory, borrowed until return
     * @param value the byte to find
     * @param offset start of the range in bytes
     * @param length length of the range in bytes
     * @throws IndexOutOfBoundsException when the range is not within the segment
     */
    public static long lastIndexOf(MemorySegment segment, byte value, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        for (long end = length; end > 0; end -= PIECE_BYTES) {
            long start = Math.max(0, end - PIECE_BYTES);
            long found = MemoryCalls.last(segment, offset + start, value & 0xff, end - start);
            if (found >= 0) {
                return start + found;
            }
        }
        return -1;
    }

    /**
     * Returns how many NUL bytes a range ends with.
     *
     * @param segment any memory, borrowed until return
     * @param offset start of the range in bytes
     * @param length length of the range in bytes
     */
    public static long trailingZeros(MemorySegment segment, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        long end = offset + length;
        while (end - offset >= Long.BYTES && segment.get(LONG, end - Long.BYTES) == 0) {
            end -= Long.BYTES;
        }
        while (end > offset && segment.get(ValueLayout.JAVA_BYTE, end - 1) == 0) {
            end--;
        }
        return offset + length - end;
    }
}
