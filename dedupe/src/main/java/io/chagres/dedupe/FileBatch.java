package io.chagres.dedupe;

import io.chagres.linux.Statx;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Files of one directory on their way into the table, so that threads meet there rarely. Confined to one thread. */
final class FileBatch {
    private static final int MAX_FILES = 256;
    private static final int NAME_MAX = 255;

    private final byte[] names = new byte[MAX_FILES * NAME_MAX];
    private final int[] nameEnds = new int[MAX_FILES];
    private final long[] sizes = new long[MAX_FILES];
    private final long[] inodes = new long[MAX_FILES];
    private final long[] stamps = new long[MAX_FILES];
    private final long[] samples = new long[MAX_FILES];
    private int count;

    /** Adds a file without what a database knows. */
    void add(MemorySegment nameIn, long nameOffset, int nameLength, long size, long inode) {
        int at = nameAt(count);
        MemorySegment.copy(nameIn, ValueLayout.JAVA_BYTE, nameOffset, names, at, nameLength);
        nameEnds[count] = at + nameLength;
        sizes[count] = size;
        inodes[count] = inode;
        stamps[count] = 0;
        samples[count] = Database.UNKNOWN;
        count++;
    }

    /** Sets what a database holds, or will hold, of the file added last; the stamp is 0 if it is too young for one. */
    void remember(long stamp, long sample) {
        stamps[count - 1] = stamp;
        samples[count - 1] = sample;
    }

    /** Returns what a change of the file would change. */
    static long stamp(Statx stat) {
        return BitMixer.of(BitMixer.of(stat.size(), stat.mtimeNs()), stat.ctimeNs());
    }

    boolean isFull() {
        return count == MAX_FILES;
    }

    void clear() {
        count = 0;
    }

    int count() {
        return count;
    }

    byte[] names() {
        return names;
    }

    int nameAt(int index) {
        return index == 0 ? 0 : nameEnds[index - 1];
    }

    int nameLength(int index) {
        return nameEnds[index] - nameAt(index);
    }

    long size(int index) {
        return sizes[index];
    }

    long inode(int index) {
        return inodes[index];
    }

    long stamp(int index) {
        return stamps[index];
    }

    /** Returns what the database knows of its content, {@link Database#UNKNOWN} if it does not know the file. */
    long sample(int index) {
        return samples[index];
    }
}
