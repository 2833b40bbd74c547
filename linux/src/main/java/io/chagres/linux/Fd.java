package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An owned file descriptor. Buffers are native memory, borrowed until return.
 *
 * <p>Safe for any thread, except that nobody may use it while or after it is closed. Reading and writing return the
 * kernel's result or {@code -errno} and allocate nothing where they succeed; on a closed one they return -EBADF.
 * Interrupted calls are made again.
 */
public final class Fd implements AutoCloseable {
    /** Open for reading only, see open(2). */
    public static final int O_RDONLY = 0;

    /** Open for writing only. */
    public static final int O_WRONLY = 1;

    /** Open for reading and writing. */
    public static final int O_RDWR = 2;

    /** Create the file if it does not exist. */
    public static final int O_CREAT = 0x40;

    /** Fail if it exists. */
    public static final int O_EXCL = 0x80;

    /** Truncate it to nothing. */
    public static final int O_TRUNC = 0x200;

    /** Every write goes to the end. */
    public static final int O_APPEND = 0x400;

    /** Never wait, not for a FIFO's other end either. */
    public static final int O_NONBLOCK = 0x800;

    /** Read and write past the page cache; memory, positions and lengths must be aligned. */
    public static final int O_DIRECT = Architecture.IS_AARCH64 ? 0x10000 : 0x4000;

    /** Fail if it is no directory. */
    public static final int O_DIRECTORY = Architecture.IS_AARCH64 ? 0x4000 : 0x10000;

    /** Fail with ELOOP if the last component is a symbolic link. */
    public static final int O_NOFOLLOW = Architecture.IS_AARCH64 ? 0x8000 : 0x20000;

    /** Leave the access time alone; EPERM unless the caller owns the file. */
    public static final int O_NOATIME = 0x40000;

    /** Close on exec; always added. */
    public static final int O_CLOEXEC = 0x80000;

    /** A reference to the file that cannot read or write it. */
    public static final int O_PATH = 0x200000;

    /** An unnamed file in the directory given. */
    public static final int O_TMPFILE = 0x400000 | O_DIRECTORY;

    /** Expect no particular access, see posix_fadvise(2). */
    public static final int POSIX_FADV_NORMAL = 0;

    /** Expect random access: no read-ahead. */
    public static final int POSIX_FADV_RANDOM = 1;

    /** Expect reading from start to end: double read-ahead. */
    public static final int POSIX_FADV_SEQUENTIAL = 2;

    /** Start to read into the page cache. */
    public static final int POSIX_FADV_WILLNEED = 3;

    /** Drop clean pages from the page cache. */
    public static final int POSIX_FADV_DONTNEED = 4;

    /** The bits of an ioctl number that describe its argument, see asm-generic/ioctl.h. */
    private static final int IOC_SIZE_SHIFT = 16;

    private static final int IOC_SIZE_MASK = 0x3fff;
    private static final long IOC_READ = 1L << 31;

    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int LOCK_EX = 2;
    private static final int LOCK_NB = 4;
    private static final int F_DUPFD_CLOEXEC = 1030;

    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Fd.class, "value", int.class);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private int value;
    private boolean leaseReady;

    private Fd(int value) {
        this.value = value;
    }

    /**
     * Opens a file, see open(2).
     *
     * @param path which
     * @param flags {@code O_} constants; O_CLOEXEC is added
     * @param mode permissions of a file that is created, else ignored
     * @return the descriptor, owned by the caller
     * @throws ErrnoException whatever open(2) says
     */
    public static Fd open(Pathname path, int flags, int mode) throws ErrnoException {
        int fd = tryOpen(path, flags, mode);
        if (fd < 0) {
            throw new ErrnoException("open", -fd, path.toString());
        }
        return new Fd(fd);
    }

    /**
     * Opens a file where failure is expected, see open(2).
     *
     * @param path which
     * @param flags {@code O_} constants; O_CLOEXEC is added
     * @param mode permissions of a file that is created, else ignored
     * @return a raw descriptor that the caller owns and may give to {@link #ofValue}, or {@code -errno}
     */
    public static int tryOpen(Pathname path, int flags, int mode) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return tryOpen(path.toCString(frame), flags, mode);
        }
    }

    /**
     * Opens a file where failure is expected, see open(2).
     *
     * @param cString its path, NUL-terminated, borrowed
     * @param flags {@code O_} constants; O_CLOEXEC is added
     * @param mode permissions of a file that is created, else ignored
     * @return a raw descriptor that the caller owns and may give to {@link #ofValue}, or {@code -errno}
     */
    public static int tryOpen(MemorySegment cString, int flags, int mode) {
        return FileCalls.openat(StatusCalls.AT_FDCWD, cString, flags | O_CLOEXEC, mode);
    }

    /**
     * Opens a file whose path has no symbolic link in it, not even to a directory, see openat2(2),
     * {@code RESOLVE_NO_SYMLINKS}. Before Linux 5.6, and in sandboxes without that call, only a link at the end is
     * refused.
     *
     * @param cString its path, NUL-terminated, borrowed
     * @param flags {@code O_} constants, none that creates; O_CLOEXEC is added
     * @return a raw descriptor that the caller owns and may give to {@link #ofValue}, or {@code -errno}: ELOOP where
     *     there is a link
     */
    public static int tryOpenWithoutLinks(MemorySegment cString, int flags) {
        return BeneathOpen.withoutLinks(cString, flags | O_CLOEXEC);
    }

    /**
     * Opens a file below a directory, so that neither {@code ..} nor a symbolic link leads out of it, whatever others
     * do to the tree meanwhile, see openat2(2).
     *
     * @param dir the directory, borrowed
     * @param relative the path below it, of any length; symbolic links anywhere in it are refused
     * @param flags {@code O_} constants; O_CLOEXEC is added
     * @param mode permissions of a file that is created, else ignored
     * @return the descriptor, owned by the caller
     * @throws ErrnoException EXDEV if the path leads out, ELOOP at a symbolic link, or whatever open(2) says
     */
    public static Fd openBeneath(Fd dir, Pathname relative, int flags, int mode) throws ErrnoException {
        int fd = tryOpenBeneath(dir, relative, flags, mode);
        if (fd < 0) {
            throw new ErrnoException("openat2", -fd, relative.toString());
        }
        return new Fd(fd);
    }

    /**
     * Opens a file below a directory like {@link #openBeneath}, where failure is expected.
     *
     * @param dir the directory, borrowed
     * @param relative the path below it; symbolic links anywhere in it are refused
     * @param flags {@code O_} constants; O_CLOEXEC is added
     * @param mode permissions of a file that is created, else ignored
     * @return a raw descriptor that the caller owns and may give to {@link #ofValue}, or {@code -errno}
     */
    public static int tryOpenBeneath(Fd dir, Pathname relative, int flags, int mode) {
        return BeneathOpen.open(dir.value, relative, flags | O_CLOEXEC, mode);
    }

    /**
     * Opens a name in a directory, see openat(2); symbolic links are followed unless a flag says otherwise.
     *
     * @param dir the directory, borrowed
     * @param name the path seen from there
     * @param flags {@code O_} constants; O_CLOEXEC is added
     * @param mode permissions of a file that is created, else ignored
     * @return the descriptor, owned by the caller
     * @throws ErrnoException whatever openat(2) says
     */
    public static Fd openAt(Fd dir, Pathname name, int flags, int mode) throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            int fd = FileCalls.openat(dir.value, name.toCString(frame), flags | O_CLOEXEC, mode);
            if (fd < 0) {
                throw new ErrnoException("openat", -fd, name.toString());
            }
            return new Fd(fd);
        }
    }

    /**
     * Takes ownership of a descriptor.
     *
     * @param value an open descriptor, 0 or more
     * @return its owner
     */
    public static Fd ofValue(int value) {
        if (value < 0) {
            throw new IllegalArgumentException("descriptor " + value);
        }
        return new Fd(value);
    }

    /**
     * Returns the number the kernel knows this by.
     *
     * @return 0 or more, or -1 if closed
     */
    public int value() {
        return value;
    }

    /**
     * Returns whether {@link #close()} was not called yet.
     *
     * @return true if open
     */
    public boolean isOpen() {
        return value >= 0;
    }

    /** Closes the descriptor. Idempotent; the result of close(2) comes too late to be of use. */
    @Override
    public void close() {
        int open = (int) VALUE.getAndSet(this, -1);
        if (open >= 0) {
            FileCalls.close(open);
        }
    }

    /**
     * Reads at a position, see pread(2).
     *
     * @param buffer where to
     * @param offset in the buffer, bytes
     * @param length how many bytes at most
     * @param position in the file, bytes from its start
     * @return the bytes read, 0 at or after the end, or {@code -errno}
     */
    public long pread(MemorySegment buffer, long offset, long length, long position) {
        return FileCalls.pread(value, buffer, offset, length, position);
    }

    /**
     * Reads at a position through a raw descriptor, see pread(2).
     *
     * @param fd an open descriptor
     * @param buffer where to
     * @param offset in the buffer, bytes
     * @param length how many bytes at most
     * @param position in the file, bytes from its start
     * @return the bytes read, 0 at or after the end, or {@code -errno}
     */
    public static long pread(int fd, MemorySegment buffer, long offset, long length, long position) {
        return FileCalls.pread(fd, buffer, offset, length, position);
    }

    /**
     * Reads on from where the last read ended, see read(2).
     *
     * @param buffer where to
     * @param offset in the buffer, bytes
     * @param length how many bytes at most
     * @return the bytes read, 0 at the end, or {@code -errno}; -EAGAIN if there is nothing and O_NONBLOCK is set
     */
    public long read(MemorySegment buffer, long offset, long length) {
        return FileCalls.read(value, buffer, offset, length);
    }

    /**
     * Writes once where the last write ended, or at the end with O_APPEND, see write(2): for devices and sockets, where
     * one call is one message. Files are written with {@link #writeFully}.
     *
     * @param buffer where from
     * @param offset in the buffer, bytes
     * @param length how many bytes
     * @return the bytes written, or {@code -errno}
     */
    public long write(MemorySegment buffer, long offset, long length) {
        return FileCalls.write(value, buffer, offset, length);
    }

    /**
     * Writes several pieces of memory as one, see writev(2).
     *
     * @param pieces what to write; its memory must be alive
     * @return the bytes written, or {@code -errno}
     */
    public long write(IoVector pieces) {
        return FileCalls.writev(value, pieces.segment(), pieces.count());
    }

    /**
     * Asks the driver or file system behind the descriptor for something of its own, see ioctl(2).
     *
     * @param request its number
     * @param argument memory that the request reads or fills, at least as large as its number says; some that end in an
     *     array want more, which cannot be checked here
     * @return the result, or {@code -errno}
     * @throws IndexOutOfBoundsException if the memory is smaller than the number says
     * @throws IllegalArgumentException if it is read-only and the number says that it is filled
     */
    public int tryIoctl(long request, MemorySegment argument) {
        long bytes = request >>> IOC_SIZE_SHIFT & IOC_SIZE_MASK;
        if ((request & IOC_READ) != 0) {
            Segments.writableAddress(argument, 0, bytes);
        } else {
            Segments.address(argument, 0, bytes);
        }
        return StatusCalls.ioctl(value, request, argument);
    }

    /**
     * Writes at a position, see pwrite(2).
     *
     * @param buffer where from
     * @param offset in the buffer, bytes
     * @param length how many bytes
     * @param position in the file, bytes from its start
     * @return the bytes written, or {@code -errno}
     */
    public long pwrite(MemorySegment buffer, long offset, long length, long position) {
        return FileCalls.pwrite(value, buffer, offset, length, position);
    }

    /**
     * Copies inside the kernel, sharing blocks where the file system can, see copy_file_range(2).
     *
     * @param position in this file, bytes from its start
     * @param target the file written to
     * @param targetPosition in the target, bytes from its start
     * @param length how many bytes at most
     * @return the bytes copied, 0 at or after the end, or {@code -errno}; -EXDEV, -EINVAL and -EOPNOTSUPP mean that
     *     these two files cannot be copied this way
     */
    public long copyFileRange(long position, Fd target, long targetPosition, long length) {
        return FileCalls.copyFileRange(value, position, target.value, targetPosition, length);
    }

    /**
     * Finds the next data, see lseek(2) SEEK_DATA. Moves the offset of {@link #read}.
     *
     * @param position where to start, bytes from the start of the file
     * @return the position of the data, or {@code -errno}; -ENXIO if there is none up to the end
     */
    public long seekData(long position) {
        return FileCalls.lseek(value, position, SEEK_DATA);
    }

    /**
     * Finds the next hole, see lseek(2) SEEK_HOLE. Moves the offset of {@link #read}.
     *
     * @param position where to start, bytes from the start of the file
     * @return the position of the hole or end of the file, or {@code -errno}; -ENXIO after the end
     */
    public long seekHole(long position) {
        return FileCalls.lseek(value, position, SEEK_HOLE);
    }

    /**
     * Reads until the length is there or the file ends.
     *
     * @param buffer where to
     * @param offset in the buffer, bytes
     * @param length how many bytes
     * @param position in the file, bytes from its start
     * @return the bytes read, less than {@code length} only at the end
     * @throws ErrnoException whatever pread(2) says
     */
    public long preadFully(MemorySegment buffer, long offset, long length, long position) throws ErrnoException {
        return check("pread", preadAll(buffer, offset, length, position));
    }

    /**
     * Reads until the length is there or the file ends: pread(2) may give less than was asked for anywhere. Allocates
     * nothing.
     *
     * @param buffer where to
     * @param offset in the buffer, bytes
     * @param length how many bytes
     * @param position in the file, bytes from its start
     * @return the bytes read, less than {@code length} only at the end; or -errno of pread(2)
     */
    public long preadAll(MemorySegment buffer, long offset, long length, long position) {
        long done = 0;
        while (done < length) {
            long n = pread(buffer, offset + done, length - done, position + done);
            if (n < 0) {
                return n;
            }
            if (n == 0) {
                break;
            }
            done += n;
        }
        return done;
    }

    /**
     * Writes everything where the last write ended, or at the end with O_APPEND.
     *
     * @param buffer where from
     * @param offset in the buffer, bytes
     * @param length how many bytes
     * @throws ErrnoException whatever write(2) says; a part may be written
     */
    public void writeFully(MemorySegment buffer, long offset, long length) throws ErrnoException {
        for (long done = 0; done < length; ) {
            done += check("write", FileCalls.write(value, buffer, offset + done, length - done));
        }
    }

    /**
     * Writes everything at a position.
     *
     * @param buffer where from
     * @param offset in the buffer, bytes
     * @param length how many bytes
     * @param position in the file, bytes from its start
     * @throws ErrnoException whatever pwrite(2) says; a part may be written
     */
    public void pwriteFully(MemorySegment buffer, long offset, long length, long position) throws ErrnoException {
        for (long done = 0; done < length; ) {
            done += check("pwrite", pwrite(buffer, offset + done, length - done, position + done));
        }
    }

    /**
     * Waits until data and metadata are on the disk, see fsync(2).
     *
     * @throws ErrnoException EIO, ENOSPC, EDQUOT: written bytes may be lost, and a second fsync would not tell
     */
    public void fsync() throws ErrnoException {
        check("fsync", FileCalls.fsync(value));
    }

    /**
     * Waits until the data, and the metadata needed to read it, are on the disk, see fdatasync(2).
     *
     * @throws ErrnoException EIO, ENOSPC, EDQUOT: written bytes may be lost, and a second fdatasync would not tell
     */
    public void fdatasync() throws ErrnoException {
        check("fdatasync", FileCalls.fdatasync(value));
    }

    /**
     * Cuts or extends the file, see ftruncate(2).
     *
     * @param length its new size in bytes
     * @throws ErrnoException whatever ftruncate(2) says
     */
    public void truncate(long length) throws ErrnoException {
        check("ftruncate", FileCalls.ftruncate(value, length));
    }

    /**
     * Sets the permissions, see fchmod(2).
     *
     * @param mode permission bits, 0 to 07777
     * @throws ErrnoException EPERM if the caller does not own the file
     */
    public void chmod(int mode) throws ErrnoException {
        check("fchmod", FileCalls.fchmod(value, mode));
    }

    /**
     * Sets the owner, see fchown(2).
     *
     * @param uid the user, or -1 to leave it
     * @param gid the group, or -1 to leave it
     * @throws ErrnoException EPERM if the caller may not
     */
    public void chown(int uid, int gid) throws ErrnoException {
        check("fchown", FileCalls.fchown(value, uid, gid));
    }

    /**
     * Sets the times, see futimens(3).
     *
     * @param atimeNs last access, nanoseconds since 1970, or Long.MIN_VALUE to leave it
     * @param mtimeNs last modification, nanoseconds since 1970, or Long.MIN_VALUE to leave it
     * @throws ErrnoException EPERM if the caller does not own the file
     */
    public void setTimes(long atimeNs, long mtimeNs) throws ErrnoException {
        check("futimens", FileCalls.futimens(value, atimeNs, mtimeNs));
    }

    /**
     * Takes the exclusive lock of the open file without waiting, see flock(2). It goes with the last descriptor of it.
     *
     * @return false if somebody else holds a lock
     * @throws ErrnoException whatever else flock(2) says
     */
    public boolean tryLockExclusive() throws ErrnoException {
        int result = FileCalls.flock(value, LOCK_EX | LOCK_NB);
        if (result == -Errno.EAGAIN) {
            return false;
        }
        check("flock", result);
        return true;
    }

    /**
     * Tells the kernel how a range will be used, see posix_fadvise(2).
     *
     * @param position where it starts, bytes from the start of the file
     * @param length its length in bytes; 0 is up to the end
     * @param advice a {@code POSIX_FADV_} constant
     * @throws ErrnoException ESPIPE if this is no file
     */
    public void advise(long position, long length, int advice) throws ErrnoException {
        check("posix_fadvise", tryAdvise(position, length, advice));
    }

    /**
     * Tells the kernel how a range will be used, where it does not matter whether it listens.
     *
     * @param position where it starts, bytes from the start of the file
     * @param length its length in bytes; 0 is up to the end
     * @param advice a {@code POSIX_FADV_} constant
     * @return 0, or {@code -errno}
     */
    public int tryAdvise(long position, long length, int advice) {
        return FileCalls.fadvise(value, position, length, advice);
    }

    /**
     * Makes another descriptor of the open file, see F_DUPFD_CLOEXEC in fcntl(2).
     *
     * @return a raw descriptor that the caller owns and may give to {@link #ofValue}, or {@code -errno}
     */
    public int tryDuplicate() {
        return FileCalls.fcntl(value, F_DUPFD_CLOEXEC, 0);
    }

    /**
     * Asks whether anybody has the file open for writing, by taking and giving back a read lease, see fcntl(2).
     * Somebody who opens it for writing in between waits that microsecond, or gets EAGAIN if he asked not to wait.
     *
     * @return 0 if nobody has, -EAGAIN if somebody has, another {@code -errno} if the kernel does not say: -EACCES for
     *     a file of somebody else, -EINVAL where leases are not supported
     */
    public int probeReadLease() {
        int prepared = leaseReady ? 0 : ReadLease.prepare(value);
        leaseReady = prepared == 0;
        return leaseReady ? ReadLease.probe(value) : prepared;
    }

    @Override
    public String toString() {
        return "descriptor " + value;
    }

    private long check(String call, long result) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(call, (int) -result, name());
        }
        return result;
    }

    /** Finds the path for a message; the file may have another name by now, or none. */
    private String name() {
        try {
            return DirectoryCalls.readlink(StatusCalls.AT_FDCWD, Pathname.of("/proc/self/fd/" + value))
                    .toString();
        } catch (ErrnoException e) {
            return toString();
        }
    }
}
