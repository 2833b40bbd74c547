package io.chagres.dedupe;

import java.util.Arrays;

/** Sorts indices by a number that belongs to each, keeping the order of equals. */
final class IndexSort {
    private static final int SMALL = 24;

    private IndexSort() {}

    /** The number that belongs to an index. */
    @FunctionalInterface
    interface Key {
        long of(int index);
    }

    /** Sorts a range. Numbers are replaced by their ranks, so that rank and place fit into one long. */
    static void sort(int[] indices, int from, int to, Key key) {
        int n = to - from;
        if (n <= SMALL) {
            insert(indices, from, to, key);
            return;
        }
        long[] ranks = new long[n];
        for (int i = 0; i < n; i++) {
            ranks[i] = key.of(indices[from + i]);
        }
        Arrays.sort(ranks);
        int distinct = 1;
        for (int i = 1; i < n; i++) {
            if (ranks[i] != ranks[i - 1]) {
                ranks[distinct++] = ranks[i];
            }
        }
        if (distinct == 1) {
            return;
        }
        long[] packed = new long[n];
        for (int i = 0; i < n; i++) {
            long rank = Arrays.binarySearch(ranks, 0, distinct, key.of(indices[from + i]));
            packed[i] = rank << 32 | i;
        }
        Arrays.sort(packed);
        int[] before = Arrays.copyOfRange(indices, from, to);
        for (int i = 0; i < n; i++) {
            indices[from + i] = before[(int) packed[i]];
        }
    }

    private static void insert(int[] indices, int from, int to, Key key) {
        for (int i = from + 1; i < to; i++) {
            int moving = indices[i];
            long number = key.of(moving);
            int at = i;
            while (at > from && key.of(indices[at - 1]) > number) {
                indices[at] = indices[at - 1];
                at--;
            }
            indices[at] = moving;
        }
    }
}
