package io.chagres.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Where the data of a file lies on its disk, read into memory that is used again and again: FS_IOC_FIEMAP, {@code
 * struct fiemap} of {@code include/uapi/linux/fiemap.h}. The getters describe the last range asked for.
 *
 * <p>Used by one thread at a time. Asking allocates nothing.
 */
public final class Fiemap implements AutoCloseable {
    /** Flag of a request: write delayed data out first, so that it has a place. */
    public static final int FIEMAP_FLAG_SYNC = 1;

    /** The last extent of the file. */
    public static final int FIEMAP_EXTENT_LAST = 0x1;

    /** The place of the data is not known. */
    public static final int FIEMAP_EXTENT_UNKNOWN = 0x2;

    /** The data has no place yet: it was not written out. */
    public static final int FIEMAP_EXTENT_DELALLOC = 0x4;

    /** The data is compressed or encrypted: its length on the disk is another. */
    public static final int FIEMAP_EXTENT_ENCODED = 0x8;

    /** The data lies among other data, at an offset that is no multiple of a block. */
    public static final int FIEMAP_EXTENT_NOT_ALIGNED = 0x100;

    /** The data lies in the inode or in metadata. */
    public static final int FIEMAP_EXTENT_DATA_INLINE = 0x200;

    /** Space without data, which reads as zeros. */
    public static final int FIEMAP_EXTENT_UNWRITTEN = 0x800;

    /** Other files, or another place in this one, use these blocks too. */
    public static final int FIEMAP_EXTENT_SHARED = 0x2000;

    /** {@code _IOWR('f', 11, struct fiemap)}. */
    private static final long FS_IOC_FIEMAP = 0xC020_660BL;

    private static final int HEADER_BYTES = 32;
    private static final int EXTENT_BYTES = 56;
    private static final int MAX_EXTENTS = 512;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(HEADER_BYTES + MAX_EXTENTS * EXTENT_BYTES, 8);
    private int count;

    /** Makes a buffer of 28 KiB, freed by {@link #close()}. */
    public Fiemap() {}

    /**
     * Asks for the extents that begin in or reach into a range. Holes have none. There may be more than fit: ask again
     * from the end of the last one, unless that has {@link #FIEMAP_EXTENT_LAST}.
     *
     * @param fd a file
     * @param start where the range begins, bytes from the start of the file
     * @param length its length in bytes; Long.MAX_VALUE is up to the end
     * @param flags 0 or {@link #FIEMAP_FLAG_SYNC}
     * @return the number of extents that can be read here, 0 if there are none or no more; or {@code -errno}:
     *     -EOPNOTSUPP where the file system does not say, -EINTR if interrupted
     */
    public int read(Fd fd, long start, long length, int flags) {
        count = 0;
        buffer.set(LONG, 0, start);
        buffer.set(LONG, 8, length);
        buffer.set(INT, 16, flags);
        buffer.set(INT, 20, 0);
        buffer.set(INT, 24, MAX_EXTENTS);
        buffer.set(INT, 28, 0);
        int result = StatusCalls.ioctl(fd.value(), FS_IOC_FIEMAP, buffer);
        if (result < 0) {
            return result;
        }
        count = buffer.get(INT, 20);
        return count;
    }

    /**
     * Returns the number of extents that can be read here.
     *
     * @return 0 or more
     */
    public int count() {
        return count;
    }

    /**
     * Returns where an extent begins in the file.
     *
     * @param index 0 to the count, exclusive
     * @return bytes from the start of the file
     */
    public long logical(int index) {
        return buffer.get(LONG, at(index));
    }

    /**
     * Returns where an extent begins on the disk. All of a compressed btrfs extent is said to begin at its first byte.
     *
     * @param index 0 to the count, exclusive
     * @return bytes from the start of the disk, or of the file system's address space; 0 if there is no place
     */
    public long physical(int index) {
        return buffer.get(LONG, at(index) + 8);
    }

    /**
     * Returns the length of an extent in the file.
     *
     * @param index 0 to the count, exclusive
     * @return bytes
     */
    public long length(int index) {
        return buffer.get(LONG, at(index) + 16);
    }

    /**
     * Returns the flags of an extent.
     *
     * @param index 0 to the count, exclusive
     * @return {@code FIEMAP_EXTENT_} constants
     */
    public int flags(int index) {
        return buffer.get(INT, at(index) + 40);
    }

    /** Frees the buffer. Idempotent. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private long at(int index) {
        return HEADER_BYTES + (long) Objects.checkIndex(index, count) * EXTENT_BYTES;
    }
}
