package io.chagres.archive.state;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The CRC32C of bytes that come in parts. Some parts are known by their own CRC32C alone: to append zeros to what was
 * checked is a linear map of its 32 bits, and to append twice as many is that map twice. Confined to one thread.
 */
final class JoinedCrc {
    /** The polynomial of CRC32C, its bits in reverse. */
    private static final int POLYNOMIAL = 0x82f63b78;

    private static final int POWERS = 31;

    /** For 2^i zero bytes: where each bit goes. */
    private static final int[][] ZEROS = new int[POWERS][Integer.SIZE];

    static {
        int[] oneBit = new int[Integer.SIZE];
        oneBit[0] = POLYNOMIAL;
        for (int bit = 1; bit < Integer.SIZE; bit++) {
            oneBit[bit] = 1 << bit - 1;
        }
        int[] map = oneBit;
        for (int doubled = 0; doubled < 3; doubled++) {
            map = twice(map);
        }
        for (int i = 0; i < POWERS; i++) {
            ZEROS[i] = map;
            map = twice(map);
        }
    }

    private final CRC32C part = new CRC32C();
    private int value;

    private static int[] twice(int[] map) {
        int[] twice = new int[Integer.SIZE];
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            twice[bit] = apply(map, map[bit]);
        }
        return twice;
    }

    private static int apply(int[] map, int bits) {
        int sum = 0;
        for (int left = bits; left != 0; left &= left - 1) {
            sum ^= map[Integer.numberOfTrailingZeros(left)];
        }
        return sum;
    }

    /** Adds bytes. */
    void add(ByteBuffer bytes) {
        int length = bytes.remaining();
        part.reset();
        part.update(bytes);
        add((int) part.getValue(), length);
    }

    /** Adds bytes that are known by their CRC32C alone. */
    void add(int crc, int length) {
        int behind = value;
        for (int i = 0; i < POWERS; i++) {
            behind = (length >>> i & 1) == 0 ? behind : apply(ZEROS[i], behind);
        }
        value = behind ^ crc;
    }

    int value() {
        return value;
    }
}
