package io.chagres.dedupe;

import io.chagres.linux.Statx;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Files of one directory on their way into the table, so that threads meet there rarely. Confined to one thread. */
final class FileBatch {
    /** The sample of a file that the database does not know as it is now. */
    static final long UNKNOWN = 0;

    private static final int MAX_FILES = 256;
    private static final int NAME_MAX = 255;

    private final byte[] names = new byte[MAX_FILES * NAME_MAX];
    private final int[] nameEnds = new int[MAX_FILES];
    private final long[] sizes = new long[MAX_FILES];
    private final long[] inodes = new long[MAX_FILES];
    private final long[] stamps = new long[MAX_FILES];
    private final long[] samples = new long[MAX_FILES];
    private int count;

    /** Adds a file without its entry in a database. */
    void add(MemorySegment nameIn, long nameOffset, int nameLength, long size, long inode) {
        int at = nameAt(count);
        MemorySegment.copy(nameIn, ValueLayout.JAVA_BYTE, nameOffset, names, at, nameLength);
        nameEnds[count] = at + nameLength;
        sizes[count] = size;
        inodes[count] = inode;
        stamps[count] = 0;
        samples[count] = UNKNOWN;
        count++;
    }

    /** Sets the entry of the file added last in a database; the stamp is 0 if it is too young for one. */
    void remember(long stamp, long sample) {
        stamps[count - 1] = stamp;
        samples[count - 1] = sample;
    }

    /** Returns the stamp, which every change of the file changes. */
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

    /** Returns its sample in the database, {@link #UNKNOWN} if that does not know the file. */
    long sample(int index) {
        return samples[index];
    }
}
