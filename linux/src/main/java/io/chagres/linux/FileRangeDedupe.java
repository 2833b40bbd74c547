package io.chagres.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Lets ranges of files share the blocks of a range of another file, if the kernel finds them equal: FIDEDUPERANGE, see
 * ioctl_fideduperange(2) and {@code struct file_dedupe_range} of {@code include/uapi/linux/fs.h}. Both files are locked
 * while the kernel compares and remaps, so that no content changes, whatever others write meanwhile; nor do their
 * times.
 *
 * <p>The kernel compares bytes in the page cache at memory speed, and reads the rest page by page, so the ranges
 * should be read ahead. It drops the destination's pages from the cache. All ranges begin and end at multiples of the
 * file system's block, except that one may end at the end of its file if the other does, too.
 *
 * <p>Used by one thread at a time. Asking allocates nothing.
 */
public final class FileRangeDedupe implements AutoCloseable {
    /** The most destinations of a call: as many as fit into a page with the header. */
    public static final int MAX_DESTINATIONS = 127;

    /** The kernel found the range equal, and it shares the source's blocks now. */
    public static final int FILE_DEDUPE_RANGE_SAME = 0;

    /** The kernel found a difference, and nothing was done. */
    public static final int FILE_DEDUPE_RANGE_DIFFERS = 1;

    /** {@code _IOWR(0x94, 54, struct file_dedupe_range)}. */
    private static final long FIDEDUPERANGE = 0xC018_9436L;

    private static final int HEADER_BYTES = 24;
    private static final int INFO_BYTES = 32;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(HEADER_BYTES + MAX_DESTINATIONS * INFO_BYTES, 8);
    private int count;

    /** Makes a buffer of a page, freed by {@link #close()}. */
    public FileRangeDedupe() {}

    /**
     * Begins the description of a call, without destinations.
     *
     * @param position where the range of the source begins, bytes from the start of the file
     * @param lengthBytes its length and the length of all destinations; 16 MiB are a good piece, and btrfs shares no
     *     more
     */
    public void source(long position, long lengthBytes) {
        buffer.set(LONG, 0, position);
        buffer.set(LONG, 8, lengthBytes);
        count = 0;
    }

    /**
     * Adds a destination.
     *
     * @param fd the file, open for reading by its owner or the superuser, else for writing; not closed before the call
     * @param position where the range begins, bytes from the start of the file
     * @return its index
     * @throws IllegalStateException if there are {@value #MAX_DESTINATIONS} already
     */
    public int add(Fd fd, long position) {
        if (count == MAX_DESTINATIONS) {
            throw new IllegalStateException("more than " + MAX_DESTINATIONS + " destinations");
        }
        long at = at(count);
        buffer.set(LONG, at, fd.value());
        buffer.set(LONG, at + 8, position);
        buffer.set(LONG, at + 16, 0);
        buffer.set(LONG, at + 24, 0);
        return count++;
    }

    /**
     * Makes the call. May read all ranges from the disk.
     *
     * @param fd the source, open for reading
     * @return 0 if every destination has a status, or {@code -errno} if none has: -EOPNOTSUPP or -ENOTTY where the file
     *     system cannot share blocks, -EINVAL if the source is no regular file or its range is not in it, -ENOMEM
     */
    public int call(Fd fd) {
        buffer.set(LONG, 16, count);
        return Math.min(0, StatusCalls.ioctl(fd.value(), FIDEDUPERANGE, buffer));
    }

    /**
     * Returns what became of a destination.
     *
     * @param index 0 to the count, exclusive
     * @return {@link #FILE_DEDUPE_RANGE_SAME}, {@link #FILE_DEDUPE_RANGE_DIFFERS}, or {@code -errno}: -EINVAL if ranges
     *     are not aligned, reach beyond the end, or overlap; -EPERM if the caller may not, or the file is immutable;
     *     -EOPNOTSUPP where the file system cannot; -EXDEV across file systems; -EROFS, -ETXTBSY, -EIO, -ENOSPC
     */
    public int status(int index) {
        return buffer.get(INT, at(Objects.checkIndex(index, count)) + 24);
    }

    /**
     * Returns how much of a destination was found equal.
     *
     * @param index 0 to the count, exclusive
     * @return bytes, of a range that ends with the file up to a block more than it has
     */
    public long bytes(int index) {
        return buffer.get(LONG, at(Objects.checkIndex(index, count)) + 16);
    }

    /** Frees the buffer. Idempotent. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private static long at(int index) {
        return HEADER_BYTES + (long) index * INFO_BYTES;
    }
}
