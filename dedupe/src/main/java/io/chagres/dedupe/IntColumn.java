package io.chagres.dedupe;

import java.util.Arrays;

/** Numbers in a row that grows without being copied. One thread adds; then any may read. */
final class IntColumn {
    private static final int CHUNK_BITS = 14;
    private static final int MASK = (1 << CHUNK_BITS) - 1;

    private int[][] chunks = new int[16][];
    private int size;

    int add(int value) {
        int chunk = size >> CHUNK_BITS;
        if ((size & MASK) == 0) {
            if (chunk == chunks.length) {
                chunks = Arrays.copyOf(chunks, chunk * 2);
            }
            chunks[chunk] = new int[1 << CHUNK_BITS];
        }
        chunks[chunk][size & MASK] = value;
        return size++;
    }

    int get(int index) {
        return chunks[index >> CHUNK_BITS][index & MASK];
    }

    int size() {
        return size;
    }
}
