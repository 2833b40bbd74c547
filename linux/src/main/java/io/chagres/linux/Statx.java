package io.chagres.linux;

import io.chagres.foreign.CString;
import io.chagres.foreign.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The status of a file, read into memory that is used again and again; see statx(2) and struct statx in
 * {@code include/uapi/linux/stat.h}. The getters describe the last file asked for and are undefined after a failure.
 *
 * <p>Used by one thread at a time. Asking allocates nothing.
 */
public final class Statx implements AutoCloseable {
    /** Bits of {@link #mode()} that hold the type. */
    public static final int S_IFMT = 0xf000;

    /** A socket. */
    public static final int S_IFSOCK = 0xc000;

    /** A symbolic link. */
    public static final int S_IFLNK = 0xa000;

    /** A regular file. */
    public static final int S_IFREG = 0x8000;

    /** A block device. */
    public static final int S_IFBLK = 0x6000;

    /** A directory. */
    public static final int S_IFDIR = 0x4000;

    /** A character device. */
    public static final int S_IFCHR = 0x2000;

    /** A FIFO. */
    public static final int S_IFIFO = 0x1000;

    /** The size of the structure that the kernel fills, bytes. */
    public static final int BYTES = 256;

    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final int STATX_BTIME = 0x800;
    private static final int STATX_MNT_ID = 0x1000;

    /** The fields to ask for. */
    static final int MASK = STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID;

    private static final int PERMISSIONS = 07777;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final @Nullable Arena arena;
    private final MemorySegment buffer;
    private final MemorySegment path;

    /** Makes a buffer, freed by {@link #close()}, which stops all threads for a moment. */
    public Statx() {
        arena = Arena.ofShared();
        buffer = arena.allocate(BYTES, 8);
        path = arena.allocate(Pathname.PATH_MAX, 1);
    }

    /**
     * Makes a buffer in an arena of somebody else: closing this object frees nothing.
     *
     * @param arena lives as long as this object is used
     */
    public Statx(Arena arena) {
        this.arena = null;
        buffer = arena.allocate(BYTES, 8);
        path = arena.allocate(Pathname.PATH_MAX, 1);
    }

    /**
     * Uses memory of somebody else, such as a stack frame's. Such an object is asked by descriptor or C string, not by
     * {@link Pathname}.
     *
     * @param memory {@value #BYTES} bytes, aligned to 8; borrowed as long as this object is used
     */
    public Statx(MemorySegment memory) {
        arena = null;
        buffer = Segments.structure(memory, BYTES, Long.BYTES);
        path = MemorySegment.NULL;
    }

    /**
     * Asks about an open file.
     *
     * @param fd its descriptor
     * @return 0, or {@code -errno}
     */
    public int of(int fd) {
        return ask(fd, CString.EMPTY, StatusCalls.AT_EMPTY_PATH);
    }

    /**
     * Asks about a path.
     *
     * @param path which
     * @param followLinks false to describe a symbolic link itself
     * @return 0, or {@code -errno}
     */
    public int of(Pathname path, boolean followLinks) {
        return ask(StatusCalls.AT_FDCWD, path, linkFlag(followLinks));
    }

    /**
     * Asks about a path.
     *
     * @param cString which, NUL-terminated, borrowed
     * @param followLinks false to describe a symbolic link itself
     * @return 0, or {@code -errno}
     */
    public int of(MemorySegment cString, boolean followLinks) {
        return ask(StatusCalls.AT_FDCWD, cString, linkFlag(followLinks));
    }

    /**
     * Asks what the kernel remembers of a path. It asks no server of a network mount or of FUSE ({@code
     * AT_STATX_DONT_SYNC}), so none that is gone keeps the call; size and times may be old.
     *
     * @param path which; links are followed
     * @return 0, or {@code -errno}
     */
    public int ofRemembered(Pathname path) {
        return ask(StatusCalls.AT_FDCWD, path, StatusCalls.AT_STATX_DONT_SYNC);
    }

    /**
     * Asks about a name in a directory.
     *
     * @param dir the directory, borrowed
     * @param name the path seen from there
     * @param followLinks false to describe a symbolic link itself
     * @return 0, or {@code -errno}
     */
    public int of(Fd dir, Pathname name, boolean followLinks) {
        return ask(dir.value(), name, linkFlag(followLinks));
    }

    /**
     * Asks about a name in a directory; a symbolic link is described itself.
     *
     * @param dirFd a descriptor of the directory, or of a path to it
     * @param memory holds the name, which ends with a NUL; borrowed
     * @param name where it starts, bytes
     * @return 0, or {@code -errno}
     */
    public int of(int dirFd, MemorySegment memory, long name) {
        return StatusCalls.statx(dirFd, memory, name, linkFlag(false), MASK, buffer);
    }

    /**
     * Returns the inode number.
     *
     * @return stx_ino, unsigned
     */
    public long ino() {
        return buffer.get(LONG, 32);
    }

    /**
     * Returns the size.
     *
     * @return bytes
     */
    public long size() {
        return buffer.get(LONG, 40);
    }

    /**
     * Returns type and permissions.
     *
     * @return stx_mode
     */
    public int mode() {
        return Short.toUnsignedInt(buffer.get(ValueLayout.JAVA_SHORT, 28));
    }

    /**
     * Returns the number of names.
     *
     * @return hard links; 0 after the last unlink
     */
    public int nlink() {
        return buffer.get(INT, 16);
    }

    /**
     * Returns the owner.
     *
     * @return the user id, unsigned
     */
    public int uid() {
        return buffer.get(INT, 20);
    }

    /**
     * Returns the group.
     *
     * @return the group id, unsigned
     */
    public int gid() {
        return buffer.get(INT, 24);
    }

    /**
     * Returns the space used.
     *
     * @return units of 512 bytes
     */
    public long blocks() {
        return buffer.get(LONG, 48);
    }

    /**
     * Returns the device of the file system; not stable across reboots.
     *
     * @return {@code major << 32 | minor}
     */
    public long dev() {
        return Integer.toUnsignedLong(buffer.get(INT, 136)) << 32 | Integer.toUnsignedLong(buffer.get(INT, 140));
    }

    /**
     * Returns the mount through which the file was looked at, as in {@code /proc/self/mountinfo}: a directory has one
     * path below one mount.
     *
     * @return 0 where the kernel does not say it (before Linux 5.8)
     */
    public long mountId() {
        return (buffer.get(INT, 0) & STATX_MNT_ID) == 0 ? 0 : buffer.get(LONG, 144);
    }

    /**
     * Returns which device a device file stands for.
     *
     * @return major and minor in the 32 bits of the kernel: {@code minor & 0xff | major << 8 | (minor & ~0xff) << 12}
     */
    public int rdev() {
        int minor = buffer.get(INT, 132);
        return (minor & 0xff) | buffer.get(INT, 128) << 8 | (minor & ~0xff) << 12;
    }

    /**
     * Returns the size of good reads and writes.
     *
     * @return bytes
     */
    public int blockSize() {
        return buffer.get(INT, 4);
    }

    /**
     * Returns when the content was read last.
     *
     * @return nanoseconds since 1970, see {@link FileTimes}
     */
    public long atimeNs() {
        return time(64);
    }

    /**
     * Returns when the content changed last.
     *
     * @return nanoseconds since 1970, see {@link FileTimes}
     */
    public long mtimeNs() {
        return time(112);
    }

    /**
     * Returns whether {@link #mtimeNs} is only the nearest time to the file's own.
     *
     * @return true if the file's is beyond the times of {@link FileTimes}
     */
    public boolean isMtimeClamped() {
        long ns = mtimeNs();
        return ns <= FileTimes.EARLIEST || ns >= FileTimes.LATEST;
    }

    /**
     * Returns when content or status changed last.
     *
     * @return nanoseconds since 1970, see {@link FileTimes}
     */
    public long ctimeNs() {
        return time(96);
    }

    /**
     * Returns when the inode was made.
     *
     * @return nanoseconds since 1970, or 0 if the file system does not say
     */
    public long btimeNs() {
        return (buffer.get(INT, 0) & STATX_BTIME) == 0 ? 0 : time(80);
    }

    /**
     * Returns the permission bits, with set-id and sticky bits.
     *
     * @return 0 to 07777
     */
    public int permissions() {
        return mode() & PERMISSIONS;
    }

    /**
     * Returns whether this is a regular file.
     *
     * @return true if so
     */
    public boolean isRegular() {
        return (mode() & S_IFMT) == S_IFREG;
    }

    /**
     * Returns whether this is a directory.
     *
     * @return true if so
     */
    public boolean isDirectory() {
        return (mode() & S_IFMT) == S_IFDIR;
    }

    /**
     * Returns whether this is a symbolic link.
     *
     * @return true if so
     */
    public boolean isSymbolicLink() {
        return (mode() & S_IFMT) == S_IFLNK;
    }

    /** Frees the buffer, unless it is borrowed. Idempotent. */
    @Override
    public void close() {
        if (arena != null && arena.scope().isAlive()) {
            arena.close();
        }
    }

    /** Returns what an answer is written to. */
    MemorySegment buffer() {
        return buffer;
    }

    /** Returns the flags of a call that describes a path. */
    static int flags(boolean followLinks) {
        return linkFlag(followLinks) | StatusCalls.AT_NO_AUTOMOUNT;
    }

    /** Copies the path to memory of this object: a slice of a stack frame is not always free of allocation. */
    private int ask(int dirFd, Pathname name, int flags) {
        if (name.length() >= Pathname.PATH_MAX) {
            return -Errno.ENAMETOOLONG;
        }
        name.copyTo(path, 0);
        path.set(ValueLayout.JAVA_BYTE, name.length(), (byte) 0);
        return ask(dirFd, path, flags);
    }

    private int ask(int dirFd, MemorySegment cString, int flags) {
        return StatusCalls.statx(dirFd, cString, 0, flags | StatusCalls.AT_NO_AUTOMOUNT, MASK, buffer);
    }

    private long time(long offset) {
        return FileTimes.of(buffer.get(LONG, offset), buffer.get(INT, offset + 8));
    }

    private static int linkFlag(boolean followLinks) {
        return followLinks ? 0 : StatusCalls.AT_SYMLINK_NOFOLLOW;
    }
}
