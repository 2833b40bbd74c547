package io.chagres.dedupe;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Files of equal size on one file system, group by group: groups of two files or more, at least one of them not known
 * from before.
 */
final class SizeGroups {
    private final FoundFiles table;
    private final boolean largestFirst;
    private final int[] files;
    private final IntColumn starts = new IntColumn();
    private final AtomicInteger claimed = new AtomicInteger();

    /**
     * Groups the files of a table as it is now.
     */
    SizeGroups(FoundFiles table, boolean largestFirst) {
        this.table = table;
        this.largestFirst = largestFirst;
        long[] packed = packed(table, newSizes(table));
        files = new int[packed.length];
        int count = 0;
        for (int from = 0; from < packed.length; ) {
            int to = from;
            boolean isNew = false;
            for (; to < packed.length && packed[to] >>> 32 == packed[from] >>> 32; to++) {
                files[count + to - from] = (int) packed[to];
                isNew |= !table.isOld((int) packed[to]);
            }
            if (isNew && to - from > 1) {
                starts.add(count);
                count += to - from;
            }
            from = to;
        }
        starts.add(count);
    }

    /** Returns the sizes of files that are not known from before, ascending. */
    private static long[] newSizes(FoundFiles table) {
        long[] sizes = new long[table.count() - table.countOld()];
        int count = 0;
        for (int i = 0; i < table.count() && count < sizes.length; i++) {
            if (!table.isOld(i)) {
                sizes[count++] = table.size(i);
            }
        }
        Arrays.sort(sizes);
        int distinct = 0;
        for (int i = 0; i < count; i++) {
            if (i == 0 || sizes[i] != sizes[distinct - 1]) {
                sizes[distinct++] = sizes[i];
            }
        }
        return Arrays.copyOf(sizes, distinct);
    }

    /** Returns the files of sizes that two have, sorted by size and file system: in the upper half the group. */
    private static long[] packed(FoundFiles table, long[] sizes) {
        if (sizes.length == 0) {
            return sizes;
        }
        int[] ranks = new int[table.count()];
        int[] counts = new int[sizes.length];
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = Arrays.binarySearch(sizes, table.size(i));
            if (ranks[i] >= 0) {
                counts[ranks[i]]++;
            }
        }
        long volumes = table.volumes().size();
        int n = Arrays.stream(counts).filter(count -> count > 1).sum();
        long[] packed = new long[n];
        n = 0;
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] >= 0 && counts[ranks[i]] > 1) {
                packed[n++] = (ranks[i] * volumes + table.volume(i).index()) << 32 | i;
            }
        }
        Arrays.sort(packed);
        return packed;
    }

    /** Returns the number of groups. */
    int count() {
        return starts.size() - 1;
    }

    int from(int group) {
        return starts.get(group);
    }

    int to(int group) {
        return starts.get(group + 1);
    }

    /** Returns the files of all groups. */
    int[] files() {
        return files;
    }

    /** Returns how many files of a group are known from before. */
    int countOld(int group) {
        int old = 0;
        for (int i = from(group); i < to(group); i++) {
            old += table.isOld(files[i]) ? 1 : 0;
        }
        return old;
    }

    /** Gives a group to the caller alone; -1 if none is left. Safe for any thread. */
    int claim() {
        int next = claimed.getAndIncrement();
        if (next >= count()) {
            claimed.decrementAndGet();
            return -1;
        }
        return largestFirst ? count() - 1 - next : next;
    }
}
