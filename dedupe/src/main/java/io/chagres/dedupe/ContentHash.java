package io.chagres.dedupe;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * A hash of 64 bits: two CRCs of different polynomials. The JIT computes both at memory speed. Chance makes no two
 * equal; a caller that shares or reports what could be made equal on purpose compares the bytes. Confined to one
 * thread.
 */
final class ContentHash {
    private final CRC32C castagnoli = new CRC32C();
    private final CRC32 ieee = new CRC32();

    void reset() {
        castagnoli.reset();
        ieee.reset();
    }

    /** Adds bytes. */
    void add(ByteBuffer view, int offset, int length) {
        castagnoli.update(view.limit(offset + length).position(offset));
        ieee.update(view.position(offset));
    }

    /** Returns the hash of all bytes since the reset, never one of the numbers that stand for none. */
    long value() {
        long value = castagnoli.getValue() << 32 | ieee.getValue();
        return value >= 0 && value <= FoundFiles.NO_SAMPLE ? value + 2 : value;
    }
}
