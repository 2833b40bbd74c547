package io.chagres.dedupe;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Files of equal size on one file system, group by group; files alone with their size are in none. */
final class SizeGroups {
    private final FileTable table;
    private final boolean largestFirst;
    private final int[] files;
    private final IntColumn starts = new IntColumn();
    private final AtomicInteger claimed = new AtomicInteger();

    /**
     * Groups the files of a table as it is now.
     */
    SizeGroups(FileTable table, boolean largestFirst) {
        this.table = table;
        this.largestFirst = largestFirst;
        long[] repeated = repeatedSizes(table);
        long[] packed = packed(table, repeated);
        files = new int[packed.length];
        for (int i = 0; i < packed.length; i++) {
            files[i] = (int) packed[i];
            if (i == 0 || packed[i] >>> 32 != packed[i - 1] >>> 32) {
                starts.add(i);
            }
        }
        starts.add(packed.length);
    }

    private static long[] repeatedSizes(FileTable table) {
        long[] sizes = new long[table.count()];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = table.size(i);
        }
        Arrays.sort(sizes);
        int repeated = 0;
        for (int i = 1; i < sizes.length; i++) {
            boolean again = repeated > 0 && sizes[repeated - 1] == sizes[i];
            if (sizes[i] == sizes[i - 1] && !again) {
                sizes[repeated++] = sizes[i];
            }
        }
        return Arrays.copyOf(sizes, repeated);
    }

    /** Returns the files of these sizes, sorted by size and file system: in the upper half the group. */
    private static long[] packed(FileTable table, long[] sizes) {
        long volumes = table.volumes().size();
        int n = 0;
        for (int i = 0; i < table.count(); i++) {
            n += Arrays.binarySearch(sizes, table.size(i)) >= 0 ? 1 : 0;
        }
        long[] packed = new long[n];
        n = 0;
        for (int i = 0; i < table.count(); i++) {
            long rank = Arrays.binarySearch(sizes, table.size(i));
            if (rank >= 0) {
                packed[n++] = (rank * volumes + table.volume(i).index()) << 32 | i;
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

    /** Says whether there may be something to do: two files, and one that is not known from before. */
    boolean isOpen(int group) {
        if (to(group) - from(group) < 2) {
            return false;
        }
        for (int i = from(group); i < to(group); i++) {
            if (!table.isOld(files[i])) {
                return true;
            }
        }
        return false;
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
