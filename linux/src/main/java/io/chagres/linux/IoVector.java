package io.chagres.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/**
 * Pieces of native memory that one call writes as if they followed each other: an array of {@code struct iovec}, see
 * readv(2). Made once and used often; setting and writing allocate nothing. Confined to one thread at a time.
 */
public final class IoVector {
    private static final int IOVEC_BYTES = 16;

    private final MemorySegment segment;
    private int count;

    /**
     * Makes a vector of no pieces.
     *
     * @param allocator owns its memory
     * @param capacity how many pieces it can hold, 1 to 1024
     */
    public IoVector(SegmentAllocator allocator, int capacity) {
        segment = allocator.allocate((long) capacity * IOVEC_BYTES, Long.BYTES);
    }

    /** Forgets all pieces. */
    public void clear() {
        count = 0;
    }

    /**
     * Appends a piece.
     *
     * @param memory native memory, which the caller keeps alive until the vector was used
     * @param offset where the piece starts, bytes
     * @param length its length in bytes
     */
    public void add(MemorySegment memory, long offset, long length) {
        long at = (long) count * IOVEC_BYTES;
        segment.set(ValueLayout.JAVA_LONG, at, Segments.borrowed(memory, Segments.address(memory, offset, length)));
        segment.set(ValueLayout.JAVA_LONG, at + Long.BYTES, length);
        count++;
    }

    MemorySegment segment() {
        return segment;
    }

    int count() {
        return count;
    }
}
