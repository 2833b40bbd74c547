package io.chagres.dedupe;

import java.util.Arrays;

/** File names, one after the other, each behind a byte for its length. One thread adds; then any may read. */
final class NameColumn {
    private static final int CHUNK_BITS = 16;
    private static final int CHUNK_BYTES = 1 << CHUNK_BITS;

    private byte[][] chunks = new byte[16][];
    private int count;
    private int filled = CHUNK_BYTES;

    /**
     * Adds a name of 1 to 255 bytes.
     *
     * @return where it is
     */
    int add(byte[] from, int offset, int length) {
        if (filled + 1 + length > CHUNK_BYTES) {
            if (count == chunks.length) {
                chunks = Arrays.copyOf(chunks, count * 2);
            }
            chunks[count++] = new byte[CHUNK_BYTES];
            filled = 0;
        }
        byte[] chunk = chunks[count - 1];
        int place = (count - 1) << CHUNK_BITS | filled;
        chunk[filled] = (byte) length;
        System.arraycopy(from, offset, chunk, filled + 1, length);
        filled += 1 + length;
        return place;
    }

    byte[] get(int place) {
        byte[] chunk = chunks[place >>> CHUNK_BITS];
        int at = place & CHUNK_BYTES - 1;
        return Arrays.copyOfRange(chunk, at + 1, at + 1 + (chunk[at] & 0xff));
    }
}
