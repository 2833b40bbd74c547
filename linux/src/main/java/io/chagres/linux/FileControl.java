package io.chagres.linux;

import java.lang.foreign.MemorySegment;

/**
 * Calls on open files for callers that pass failures on: each returns the kernel's result or {@code -errno}.
 * Interrupted calls are made again. Safe for any thread.
 */
public final class FileControl {
    /** For {@link #allocate}: the size stays. */
    public static final int FALLOC_FL_KEEP_SIZE = 1;

    /** For {@link #allocate}: give space back, so that the range reads as zeros; with {@link #FALLOC_FL_KEEP_SIZE}. */
    public static final int FALLOC_FL_PUNCH_HOLE = 2;

    /** For {@link #allocate}: make the range zeros. */
    public static final int FALLOC_FL_ZERO_RANGE = 16;

    /** For {@link #lock}: shared. */
    public static final int LOCK_SH = 1;

    /** For {@link #lock}: exclusive. */
    public static final int LOCK_EX = 2;

    /** For {@link #lock}: give it back. */
    public static final int LOCK_UN = 8;

    private static final int LOCK_NB = 4;
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int F_SETPIPE_SZ = 1031;

    private FileControl() {}

    /**
     * Waits until a file is safe, see fsync(2) and fdatasync(2).
     *
     * @param fd an open file or directory
     * @param dataOnly whether times may be left out
     * @return 0, or {@code -errno}: -EIO, -ENOSPC, -EDQUOT if something written is lost, -EINVAL where there is nothing
     *     to sync
     */
    public static int sync(Fd fd, boolean dataOnly) {
        return dataOnly ? FileCalls.fdatasync(fd.value()) : FileCalls.fsync(fd.value());
    }

    /**
     * Waits until all of the file system of a file is safe, see syncfs(2).
     *
     * @param fd any open file on it
     * @return 0, or {@code -errno}: -EIO, -ENOSPC if something written is lost
     */
    public static int syncFileSystem(Fd fd) {
        return FileCalls.syncfs(fd.value());
    }

    /**
     * Begins or ends to go past the page cache, see O_DIRECT in open(2) and F_SETFL in fcntl(2). While it is on, the
     * memory, positions and lengths of reads and writes must be multiples of what statx(2) calls the alignment, usually
     * 512 or 4096 bytes; otherwise they fail with EINVAL.
     *
     * @param fd an open file
     * @param on whether to
     * @return 0, or {@code -errno}; -EINVAL where the file system cannot
     */
    public static int setDirect(Fd fd, boolean on) {
        int flags = FileCalls.fcntl(fd.value(), F_GETFL, 0);
        int direct = on ? flags | Fd.O_DIRECT : flags & ~Fd.O_DIRECT;
        return flags < 0 ? flags : FileCalls.fcntl(fd.value(), F_SETFL, direct);
    }

    /**
     * Changes what a pipe holds before its writer waits, see F_SETPIPE_SZ in fcntl(2).
     *
     * @param fd either end
     * @param bytes how many; the kernel takes the next power of two, a page at least
     * @return how many it holds now, or {@code -errno}: -EBADF if it is no pipe, -EPERM if this user may not have so
     *     much, -EBUSY if it holds more
     */
    public static int setPipeSize(Fd fd, int bytes) {
        return FileCalls.fcntl(fd.value(), F_SETPIPE_SZ, bytes);
    }

    /**
     * Cuts or extends a file, see ftruncate(2).
     *
     * @param fd open for writing
     * @param length its new size in bytes
     * @return 0, or {@code -errno}: -EINVAL if it is not open for writing, -EFBIG
     */
    public static int truncate(Fd fd, long length) {
        return FileCalls.ftruncate(fd.value(), length);
    }

    /**
     * Takes or gives back space, see fallocate(2).
     *
     * @param fd open for writing
     * @param mode 0 or {@code FALLOC_FL_} constants
     * @param position where the range starts, bytes from the start of the file
     * @param length its length in bytes, 1 or more
     * @return 0, or {@code -errno}: -EOPNOTSUPP for a mode the file system does not know, -ENOSPC, -EBADF if it is not
     *     open for writing
     */
    public static int allocate(Fd fd, int mode, long position, long length) {
        return FileCalls.fallocate(fd.value(), mode, position, length);
    }

    /**
     * Writes at the end of a file, wherever that is by then; see RWF_APPEND in pwritev2(2).
     *
     * @param fd open for writing, with or without O_APPEND
     * @param buffer where from, native memory borrowed until return
     * @param offset in the buffer, bytes
     * @param length how many bytes
     * @return the bytes written, or {@code -errno}
     */
    public static long append(Fd fd, MemorySegment buffer, long offset, long length) {
        return FileCalls.append(fd.value(), buffer, offset, length);
    }

    /**
     * Takes or gives back the lock of an open file without waiting, see flock(2).
     *
     * @param fd the open file
     * @param operation {@link #LOCK_SH}, {@link #LOCK_EX} or {@link #LOCK_UN}
     * @return 0, or {@code -errno}: -EAGAIN if another open file of it is in the way
     */
    public static int lock(Fd fd, int operation) {
        return FileCalls.flock(fd.value(), operation | LOCK_NB);
    }
}
