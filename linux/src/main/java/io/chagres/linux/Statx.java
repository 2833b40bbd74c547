package io.chagres.linux;

import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads what the kernel knows of a file: {@code statx(2)}, {@code struct statx} of include/uapi/linux/stat.h. One
 * object is a reusable buffer; its getters tell of the last successful call. Confined to one thread, allocates nothing
 * per call.
 */
public final class Statx implements AutoCloseable {
    private static final int STATX_BASIC_AND_BTIME = 0xfff;
    private static final int S_IFMT = 0170000;
    private static final int S_IFREG = 0100000;
    private static final int S_IFDIR = 0040000;
    private static final int S_IFLNK = 0120000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(256, 8);
    private final MemorySegment empty = arena.allocate(1);

    /** Makes a buffer; close it. */
    public Statx() {}

    /** Looks at an open descriptor; returns 0 or -errno. */
    public int of(int fd) {
        return call(fd, empty.address(), Nr.AT_EMPTY_PATH);
    }

    /** Looks at a path given as a C string; returns 0 or -errno. */
    public int of(MemorySegment path, boolean followLinks) {
        return call(Nr.AT_FDCWD, path.address(), followLinks ? 0 : Nr.AT_SYMLINK_NOFOLLOW);
    }

    /** Looks at a path; returns 0 or -errno. Allocates the C string. */
    public int of(Pathname path, boolean followLinks) {
        try (Arena scratch = Arena.ofConfined()) {
            return of(path.toCString(scratch), followLinks);
        }
    }

    /** Looks at a name in an open directory; returns 0 or -errno. Allocates the C string. */
    public int of(Fd directory, Pathname name, boolean followLinks) {
        try (Arena scratch = Arena.ofConfined()) {
            return call(
                    directory.value(),
                    name.toCString(scratch).address(),
                    followLinks ? 0 : Nr.AT_SYMLINK_NOFOLLOW);
        }
    }

    private int call(int fd, long path, int flags) {
        return (int) SystemCall.repeatable(Nr.STATX, fd, path, flags, STATX_BASIC_AND_BTIME, buffer.address(), 0);
    }

    private int u32(long offset) {
        return buffer.get(ValueLayout.JAVA_INT, offset);
    }

    private long u64(long offset) {
        return buffer.get(ValueLayout.JAVA_LONG, offset);
    }

    private long timeNs(long offset) {
        return u64(offset) * 1_000_000_000L + u32(offset + 8);
    }

    /** Returns the number of names. */
    public int nlink() {
        return u32(16);
    }

    /** Returns the owner. */
    public int uid() {
        return u32(20);
    }

    /** Returns the group. */
    public int gid() {
        return u32(24);
    }

    /** Returns type and permissions. */
    public int mode() {
        return buffer.get(ValueLayout.JAVA_SHORT, 28) & 0xffff;
    }

    /** Returns the permissions, 0 to 07777. */
    public int permissions() {
        return mode() & 07777;
    }

    /** Returns the inode number. */
    public long ino() {
        return u64(32);
    }

    /** Returns the size in bytes. */
    public long size() {
        return u64(40);
    }

    /** Returns the blocks of 512 bytes allocated. */
    public long blocks() {
        return u64(48);
    }

    /** Returns the birth time in nanoseconds since 1970, or 0 where the file system keeps none. */
    public long btimeNs() {
        return timeNs(80);
    }

    /** Returns the change time in nanoseconds since 1970. */
    public long ctimeNs() {
        return timeNs(96);
    }

    /** Returns the modification time in nanoseconds since 1970. */
    public long mtimeNs() {
        return timeNs(112);
    }

    /** Returns the device: major number in the upper, minor in the lower half. */
    public long dev() {
        return ((long) u32(136) << 32) | (u32(140) & 0xffffffffL);
    }

    /** Says whether it is a regular file. */
    public boolean isRegular() {
        return (mode() & S_IFMT) == S_IFREG;
    }

    /** Says whether it is a directory. */
    public boolean isDirectory() {
        return (mode() & S_IFMT) == S_IFDIR;
    }

    /** Says whether it is a symbolic link. */
    public boolean isSymbolicLink() {
        return (mode() & S_IFMT) == S_IFLNK;
    }

    @Override
    public void close() {
        arena.close();
    }
}
