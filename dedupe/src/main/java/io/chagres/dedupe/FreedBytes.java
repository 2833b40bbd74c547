package io.chagres.dedupe;

import java.util.Arrays;

/**
 * Finds how many bytes of a disk become free when some files let go of their blocks and others keep theirs: those that
 * nobody keeps, and that either were not shared or are let go of twice at least. Bytes shared with files that are not
 * looked at, such as snapshots, count as freed only where two of ours shared them too. Confined to one thread.
 */
final class FreedBytes {
    /** More are evaluated in parts, and ranges common to two parts count too little. */
    private static final int MAX_RANGES = 1 << 17;

    private static final byte KEPT = 0;
    private static final byte OWN = 1;
    private static final byte SHARED = 2;

    private long[] begins = new long[64];
    private long[] ends = new long[64];
    private byte[] kinds = new byte[64];
    private int count;
    private int kept;
    private long freed;

    /** Begins with a file that keeps its blocks. */
    void reset(FileExtents keeper) {
        count = 0;
        freed = 0;
        add(keeper, 0, Long.MAX_VALUE, true);
        kept = count;
    }

    /** Adds a range of a file that lets go of its blocks. */
    void release(FileExtents file, long from, long to) {
        if (count + file.count() > MAX_RANGES && count > kept) {
            freed += sweep();
            count = kept;
        }
        add(file, from, to, false);
    }

    /** Returns the bytes that become free. */
    long total() {
        return freed + sweep();
    }

    private void add(FileExtents file, long from, long to, boolean keeps) {
        for (int i = file.indexAt(from); i < file.count() && file.logical(i) < to; i++) {
            if (count == begins.length) {
                begins = Arrays.copyOf(begins, count * 2);
                ends = Arrays.copyOf(ends, count * 2);
                kinds = Arrays.copyOf(kinds, count * 2);
            }
            long logical = file.logical(i);
            begins[count] = file.physical(i) + Math.max(0, from - logical);
            ends[count] = file.physical(i) + Math.min(file.length(i), to - logical);
            kinds[count++] = keeps ? KEPT : file.isShared(i) ? SHARED : OWN;
        }
    }

    /** Goes over the disk from border to border: index i below the count begins a range, i + count ends it. */
    private long sweep() {
        int[] borders = new int[2 * count];
        for (int i = 0; i < borders.length; i++) {
            borders[i] = i;
        }
        IndexSort.sort(borders, 0, borders.length, i -> i < count ? begins[i] : ends[i - count]);
        int[] open = new int[3];
        long total = 0;
        long from = 0;
        for (int border : borders) {
            boolean begin = border < count;
            int range = begin ? border : border - count;
            long at = begin ? begins[range] : ends[range];
            if (open[KEPT] == 0 && (open[OWN] > 0 || open[SHARED] > 1)) {
                total += at - from;
            }
            from = at;
            open[kinds[range]] += begin ? 1 : -1;
        }
        return total;
    }
}
