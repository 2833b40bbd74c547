package io.chagres.linux;

import io.chagres.foreign.CString;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * An owned reference to a file of any type, also to a symbolic link itself: a descriptor of open(2) with O_PATH. It
 * neither reads nor writes, needs no permission on the file, and stays right whatever happens to its names. File
 * servers keep one per file they know.
 *
 * <p>Methods return the kernel's result or {@code -errno} and allocate nothing where they succeed. Names are C strings
 * in memory of the caller, given by that memory and the offset where they start, and are never followed if they are
 * symbolic links. Changes of the file itself go through {@code /proc/self/fd}, so that they work on every kernel.
 *
 * <p>Safe for any thread, except that nobody may use it while or after it is closed.
 */
public final class PathFd implements AutoCloseable {
    /** A time that becomes the present one, for {@link #setTimes}. */
    public static final long NOW = Timespecs.NOW;

    /** A time that stays as it is, for {@link #setTimes}. */
    public static final long OMIT = Timespecs.OMIT;

    private static final int FLAGS = Fd.O_PATH | Fd.O_CLOEXEC;
    private static final int AT_REMOVEDIR = 0x200;
    private static final byte[] DESCRIPTORS = "/proc/self/fd/".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_DIGITS = 10;

    private final Fd fd;

    private PathFd(Fd fd) {
        this.fd = fd;
    }

    /**
     * Refers to what a path leads to, symbolic links followed.
     *
     * @param path which
     * @return the reference, owned by the caller
     * @throws ErrnoException whatever open(2) says
     */
    public static PathFd open(Pathname path) throws ErrnoException {
        return new PathFd(Fd.open(path, FLAGS, 0));
    }

    /**
     * Takes ownership of a descriptor.
     *
     * @param value one that was opened with O_PATH, such as {@link #tryOpen} returns
     * @return its owner
     */
    public static PathFd ofValue(int value) {
        return new PathFd(Fd.ofValue(value));
    }

    /**
     * Refers to an open file again, also if it has no name.
     *
     * @param open a descriptor, borrowed
     * @return a raw descriptor that the caller owns and may give to {@link #ofValue}, or {@code -errno}
     */
    public static int tryOpen(Fd open) {
        return open(open.value(), FLAGS);
    }

    /**
     * Returns the number the kernel knows this by.
     *
     * @return 0 or more, or -1 if closed
     */
    public int value() {
        return fd.value();
    }

    /**
     * Refers to a name in this directory.
     *
     * @param memory holds the name, borrowed
     * @param name where it starts, bytes
     * @return a raw descriptor that the caller owns and may give to {@link #ofValue}, or {@code -errno}: -ENOENT,
     *     -ENOTDIR if this is no directory, -EMFILE
     */
    public int tryOpen(MemorySegment memory, long name) {
        return FileCalls.openat(fd.value(), memory, name, FLAGS | Fd.O_NOFOLLOW, 0);
    }

    /**
     * Opens the file this refers to, with permissions checked now; see open(2).
     *
     * @param flags {@code O_} constants that neither create nor refuse links; O_CLOEXEC is added
     * @return a raw descriptor that the caller owns and may give to {@link Fd#ofValue}, or {@code -errno}: -ELOOP for a
     *     symbolic link
     */
    public int reopen(int flags) {
        return open(fd.value(), flags | Fd.O_CLOEXEC);
    }

    /**
     * Creates or opens a regular file in this directory, see openat(2).
     *
     * @param memory holds the name, borrowed
     * @param name where it starts, bytes
     * @param flags {@code O_} constants; O_CREAT, O_NOFOLLOW and O_CLOEXEC are added
     * @param mode permissions if it is created, less the umask
     * @return a raw descriptor that the caller owns and may give to {@link Fd#ofValue}, or {@code -errno}: -EEXIST with
     *     O_EXCL, -ELOOP at a symbolic link
     */
    public int create(MemorySegment memory, long name, int flags, int mode) {
        int all = flags | Fd.O_CREAT | Fd.O_NOFOLLOW | Fd.O_CLOEXEC;
        return FileCalls.openat(fd.value(), memory, name, all, mode);
    }

    /**
     * Creates a file without a name in this directory, see O_TMPFILE in open(2).
     *
     * @param flags {@code O_} constants, one of them O_WRONLY or O_RDWR; O_TMPFILE and O_CLOEXEC are added
     * @param mode permissions, less the umask
     * @return a raw descriptor that the caller owns and may give to {@link Fd#ofValue}, or {@code -errno}: -EOPNOTSUPP
     *     where the file system cannot, -EINVAL for O_RDONLY
     */
    public int createUnnamed(int flags, int mode) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment here = frame.allocate(2, 1);
            here.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) '.');
            return FileCalls.openat(fd.value(), here, 0, flags | Fd.O_TMPFILE | Fd.O_CLOEXEC, mode);
        }
    }

    /**
     * Makes a directory here, see mkdirat(2).
     *
     * @param memory holds the name, borrowed
     * @param name where it starts, bytes
     * @param mode permissions, less the umask
     * @return 0, or {@code -errno}: -EEXIST if there is something by that name
     */
    public int mkdir(MemorySegment memory, long name, int mode) {
        return DirectoryCalls.mkdirat(fd.value(), memory, name, mode);
    }

    /**
     * Makes a file of any type but directory and link here, see mknodat(2).
     *
     * @param memory holds the name, borrowed
     * @param name where it starts, bytes
     * @param mode type and permissions, less the umask
     * @param device for a device file as {@link Statx#rdev()} says it, else ignored
     * @return 0, or {@code -errno}: -EEXIST if there is something by that name, -EPERM for a device if the caller may
     *     not make one
     */
    public int mknod(MemorySegment memory, long name, int mode, int device) {
        return DirectoryCalls.mknodat(fd.value(), memory, name, mode, device);
    }

    /**
     * Makes a symbolic link here, see symlinkat(2).
     *
     * @param memory holds name and target, borrowed
     * @param name where the name starts, bytes
     * @param target where what the link says starts, bytes
     * @return 0, or {@code -errno}: -EEXIST if there is something by that name
     */
    public int symlink(MemorySegment memory, long name, long target) {
        return DirectoryCalls.symlinkat(Segments.address(memory, target, 1), fd.value(), memory, name);
    }

    /**
     * Gives a file another name, here; see linkat(2). Never replaces.
     *
     * @param source the file, which may be a symbolic link or one of {@link #createUnnamed}; borrowed
     * @param memory holds the new name, borrowed
     * @param name where it starts, bytes
     * @return 0, or {@code -errno}: -EEXIST, -EPERM for a directory, -EXDEV from another file system, -ENOENT if the
     *     file lost its last name
     */
    public int link(PathFd source, MemorySegment memory, long name) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            int flags = StatusCalls.AT_SYMLINK_FOLLOW;
            MemorySegment from = magicLink(source.fd.value(), frame);
            return DirectoryCalls.linkat(StatusCalls.AT_FDCWD, from, fd.value(), memory, name, flags);
        }
    }

    /**
     * Removes a name that is no directory, see unlinkat(2).
     *
     * @param memory holds the name, borrowed
     * @param name where it starts, bytes
     * @return 0, or {@code -errno}: -ENOENT, -EISDIR
     */
    public int unlink(MemorySegment memory, long name) {
        return DirectoryCalls.unlinkat(fd.value(), memory, name, 0);
    }

    /**
     * Removes an empty directory, see rmdir(2).
     *
     * @param memory holds the name, borrowed
     * @param name where it starts, bytes
     * @return 0, or {@code -errno}: -ENOENT, -ENOTDIR, -ENOTEMPTY
     */
    public int rmdir(MemorySegment memory, long name) {
        return DirectoryCalls.unlinkat(fd.value(), memory, name, AT_REMOVEDIR);
    }

    /**
     * Moves a name of this directory, see renameat2(2).
     *
     * @param memory holds both names, borrowed
     * @param name where the present one starts, bytes
     * @param target the directory it moves to, maybe this; borrowed
     * @param newName where the new one starts, bytes
     * @param flags 0 or RENAME_NOREPLACE 1, RENAME_EXCHANGE 2, RENAME_WHITEOUT 4
     * @return 0, or {@code -errno}: -ENOENT, -EEXIST with RENAME_NOREPLACE, -ENOTEMPTY, -EINVAL into itself or for
     *     flags the file system does not know
     */
    public int rename(MemorySegment memory, long name, PathFd target, long newName, int flags) {
        long to = Segments.address(memory, newName, 1);
        return DirectoryCalls.renameat2(fd.value(), memory, name, target.fd.value(), to, flags);
    }

    /**
     * Reads this symbolic link, see readlinkat(2).
     *
     * @return the path that it holds, a new array
     * @throws ErrnoException ENOENT if this is none, or whatever else readlinkat(2) says
     */
    public byte[] readlink() throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment target = frame.allocate(Pathname.PATH_MAX, 1);
            long n = DirectoryCalls.readlinkat(fd.value(), CString.EMPTY, target);
            if (n < 0) {
                throw new ErrnoException("readlink", (int) -n, toString());
            }
            return target.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /**
     * Sets the permissions, see chmod(2).
     *
     * @param mode permission bits, 0 to 07777
     * @return 0, or {@code -errno}: -EPERM if the caller does not own the file, -EOPNOTSUPP for a symbolic link
     */
    public int chmod(int mode) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return AttributeCalls.chmod(magicLink(fd.value(), frame), mode);
        }
    }

    /**
     * Sets the owner, see fchownat(2).
     *
     * @param uid the user, or -1 to leave it
     * @param gid the group, or -1 to leave it
     * @return 0, or {@code -errno}: -EPERM if the caller may not
     */
    public int chown(int uid, int gid) {
        return DirectoryCalls.fchownat(fd.value(), CString.EMPTY, uid, gid, StatusCalls.AT_EMPTY_PATH);
    }

    /**
     * Cuts or extends the file, see truncate(2).
     *
     * @param length its new size in bytes
     * @return 0, or {@code -errno}: -EISDIR, -EINVAL if it is no regular file, -EFBIG
     */
    public int truncate(long length) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return AttributeCalls.truncate(magicLink(fd.value(), frame), length);
        }
    }

    /**
     * Sets the times, see utimensat(2).
     *
     * @param atimeNs last access, nanoseconds since 1970, {@link #NOW} or {@link #OMIT}
     * @param mtimeNs last modification, nanoseconds since 1970, {@link #NOW} or {@link #OMIT}
     * @return 0, or {@code -errno}: -EPERM or -EACCES if the caller may not
     */
    public int setTimes(long atimeNs, long mtimeNs) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment times = Timespecs.pair(frame, atimeNs, mtimeNs);
            return DirectoryCalls.utimensat(StatusCalls.AT_FDCWD, magicLink(fd.value(), frame), times, 0);
        }
    }

    /**
     * Sets an extended attribute, see setxattr(2).
     *
     * @param memory holds name and value, borrowed
     * @param name where the name starts, bytes
     * @param value where the value starts, bytes
     * @param length the length of the value, bytes
     * @param flags 0, XATTR_CREATE 1 or XATTR_REPLACE 2
     * @return 0, or {@code -errno}: -EEXIST with XATTR_CREATE, -ENODATA with XATTR_REPLACE, -EOPNOTSUPP for a name
     *     space the file system does not know, -EPERM for user attributes of anything but files and directories
     */
    public int setXattr(MemorySegment memory, long name, long value, int length, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            long nameAddress = Segments.address(memory, name, 1);
            return AttributeCalls.setxattr(magicLink(fd.value(), frame), nameAddress, memory, value, length, flags);
        }
    }

    /**
     * Reads an extended attribute, see getxattr(2).
     *
     * @param memory holds the name, borrowed
     * @param name where it starts, bytes
     * @param buffer takes the value, native
     * @param offset where to put it, bytes
     * @param length how long it may be, bytes; 0 to ask only how long it is
     * @return the length of the value, or {@code -errno}: -ENODATA if there is none, -ERANGE if it is longer,
     *     -EOPNOTSUPP for a name space the file system does not know
     */
    public long getXattr(MemorySegment memory, long name, MemorySegment buffer, long offset, long length) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            long nameAddress = Segments.borrowed(memory, Segments.address(memory, name, 1));
            return AttributeCalls.getxattr(magicLink(fd.value(), frame), nameAddress, buffer, offset, length);
        }
    }

    /**
     * Lists extended attributes, see listxattr(2).
     *
     * @param buffer takes the names, each with a NUL; native
     * @param offset where to put them, bytes
     * @param length how long they may be, bytes; 0 to ask only how long they are
     * @return the length of the list, or {@code -errno}: -ERANGE if it is longer
     */
    public long listXattr(MemorySegment buffer, long offset, long length) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return AttributeCalls.listxattr(magicLink(fd.value(), frame), buffer, offset, length);
        }
    }

    /**
     * Removes an extended attribute, see removexattr(2).
     *
     * @param memory holds the name, borrowed
     * @param name where it starts, bytes
     * @return 0, or {@code -errno}: -ENODATA if there is none
     */
    public int removeXattr(MemorySegment memory, long name) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return AttributeCalls.removexattr(magicLink(fd.value(), frame), memory, name);
        }
    }

    /** Closes the descriptor. Idempotent. */
    @Override
    public void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return "path " + fd;
    }

    private static int open(int value, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return FileCalls.openat(StatusCalls.AT_FDCWD, magicLink(value, frame), 0, flags, 0);
        }
    }

    /** Leads to the file itself, also if that is a symbolic link; see proc_pid_fd(5). */
    private static MemorySegment magicLink(int value, Frame frame) {
        if (value < 0) {
            throw new IllegalStateException("closed");
        }
        int digits = 1;
        for (int rest = value / 10; rest > 0; rest /= 10) {
            digits++;
        }
        MemorySegment path = frame.allocate(DESCRIPTORS.length + MAX_DIGITS + 1, 1);
        MemorySegment.copy(DESCRIPTORS, 0, path, ValueLayout.JAVA_BYTE, 0, DESCRIPTORS.length);
        int rest = value;
        for (int i = digits - 1; i >= 0; i--) {
            path.set(ValueLayout.JAVA_BYTE, DESCRIPTORS.length + i, (byte) ('0' + rest % 10));
            rest /= 10;
        }
        path.set(ValueLayout.JAVA_BYTE, DESCRIPTORS.length + digits, (byte) 0);
        return path;
    }
}
