package io.chagres.ship.file;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A column of numbers that need 32 bits as a rule; where one needs more, all have 64. Confined to one thread. */
final class NarrowColumn {
    private final int[] low;
    /** The upper halves; null as long as all are 0. */
    private int @Nullable [] high;

    NarrowColumn(int rows) {
        low = new int[rows];
    }

    private NarrowColumn(int[] low, int @Nullable [] high) {
        this.low = low;
        this.high = high;
    }

    /** Returns a copy with more rows. */
    NarrowColumn copy(int rows) {
        return new NarrowColumn(Arrays.copyOf(low, rows), high == null ? null : Arrays.copyOf(high, rows));
    }

    long get(int row) {
        long upper = high == null ? 0 : high[row];
        return upper << Integer.SIZE | Integer.toUnsignedLong(low[row]);
    }

    void set(int row, long value) {
        int upper = (int) (value >>> Integer.SIZE);
        low[row] = (int) value;
        if (upper != 0 && high == null) {
            high = new int[low.length];
        }
        if (high != null) {
            high[row] = upper;
        }
    }
}
