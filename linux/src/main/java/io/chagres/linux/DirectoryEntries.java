package io.chagres.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A cursor over the entries of a directory as the kernel gives them, {@code .} and {@code ..} too; see getdents64(2).
 * {@link Directory} has one of its own.
 *
 * <p>Used by one thread at a time. Allocates nothing.
 */
public final class DirectoryEntries {
    /** The longest entry, bytes: no buffer may be shorter. */
    public static final int ENTRY_BYTES = 280;

    private static final int D_OFF = 8;
    private static final int D_RECLEN = 16;
    private static final int D_TYPE = 18;
    private static final int D_NAME = 19;

    private final MemorySegment buffer;
    private long filled;
    private long following;
    private long entry;
    private int nameLength;

    /**
     * Uses memory for entries.
     *
     * @param buffer native memory aligned to 8, borrowed as long as this object is used
     */
    public DirectoryEntries(MemorySegment buffer) {
        this.buffer = Segments.structure(buffer, 0, Long.BYTES);
    }

    /**
     * Reads as many entries as fit, from where the last reading or {@link #seek} ended.
     *
     * @param directory an open directory
     * @return the bytes filled, 0 at the end, or {@code -errno}: -ENOENT if the directory was removed, -ENOTDIR if it
     *     is none, -EINVAL if the next entry is larger than the buffer
     */
    public long fill(Fd directory) {
        long n = DirectoryCalls.getdents64(directory.value(), buffer);
        following = 0;
        filled = Math.max(0, n);
        return n;
    }

    /**
     * Goes to where an entry ended; see lseek(2).
     *
     * @param directory an open directory
     * @param position 0, or what {@link #position()} said
     * @return 0 or more, or {@code -errno}
     */
    public long seek(Fd directory, long position) {
        clear();
        return FileCalls.lseek(directory.value(), position, FileCalls.SEEK_SET);
    }

    /** Drops the entries that were read. */
    void clear() {
        filled = 0;
        following = 0;
    }

    /**
     * Moves to the next entry of those read.
     *
     * @return false if it is time to {@link #fill}
     */
    public boolean next() {
        if (following >= filled) {
            return false;
        }
        entry = following;
        int length = Short.toUnsignedInt(buffer.get(ValueLayout.JAVA_SHORT, entry + D_RECLEN));
        following = entry + length;
        nameLength = nameLength(length);
        return true;
    }

    /**
     * Returns the inode number of the entry.
     *
     * @return d_ino; differs from statx where a file system is mounted on the entry
     */
    public long ino() {
        return buffer.get(ValueLayout.JAVA_LONG, entry);
    }

    /**
     * Returns where to continue after this entry.
     *
     * @return d_off: a cookie of the file system, not an index
     */
    public long position() {
        return buffer.get(ValueLayout.JAVA_LONG, entry + D_OFF);
    }

    /**
     * Returns the type of the entry.
     *
     * @return a {@code DT_} constant of {@link Directory}
     */
    public int type() {
        return buffer.get(ValueLayout.JAVA_BYTE, entry + D_TYPE);
    }

    /**
     * Returns the memory that holds the name of the entry.
     *
     * @return the buffer; the name in it ends with a NUL
     */
    public MemorySegment buffer() {
        return buffer;
    }

    /**
     * Returns where the name starts in {@link #buffer()}.
     *
     * @return an offset in bytes
     */
    public long nameOffset() {
        return entry + D_NAME;
    }

    /**
     * Returns the length of the name.
     *
     * @return bytes, without NUL
     */
    public int nameLength() {
        return nameLength;
    }

    /**
     * Returns whether the entry is {@code .} or {@code ..}.
     *
     * @return true if so
     */
    public boolean isDots() {
        return nameLength <= 2
                && buffer.get(ValueLayout.JAVA_BYTE, entry + D_NAME) == '.'
                && buffer.get(ValueLayout.JAVA_BYTE, entry + D_NAME + nameLength - 1) == '.';
    }

    /** Records are padded with up to eight NULs. */
    private int nameLength(int recordLength) {
        long start = entry + D_NAME;
        long end = Math.max(start, entry + recordLength - Long.BYTES);
        while (buffer.get(ValueLayout.JAVA_BYTE, end) != 0) {
            end++;
        }
        return (int) (end - start);
    }
}
