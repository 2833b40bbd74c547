package io.chagres.dedupe;

import java.util.Arrays;

/** Numbers in a row that grows without being copied. One thread adds; then any may read and set. */
final class LongColumn {
    private static final int CHUNK_BITS = 14;
    private static final int MASK = (1 << CHUNK_BITS) - 1;

    private long[][] chunks = new long[16][];
    private int size;

    int add(long value) {
        int chunk = size >> CHUNK_BITS;
        if ((size & MASK) == 0) {
            if (chunk == chunks.length) {
                chunks = Arrays.copyOf(chunks, chunk * 2);
            }
            chunks[chunk] = new long[1 << CHUNK_BITS];
        }
        chunks[chunk][size & MASK] = value;
        return size++;
    }

    long get(int index) {
        return chunks[index >> CHUNK_BITS][index & MASK];
    }

    void set(int index, long value) {
        chunks[index >> CHUNK_BITS][index & MASK] = value;
    }

    int size() {
        return size;
    }
}
