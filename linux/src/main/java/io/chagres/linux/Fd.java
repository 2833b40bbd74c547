package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Owns one file descriptor. Positional reads and writes are safe for any thread; closing while another thread uses the
 * descriptor is not. Hot methods return the kernel's value or -errno and allocate nothing when they succeed; the
 * others throw {@link ErrnoException}.
 */
public final class Fd implements AutoCloseable {
    /** Open flags of {@code open(2)}; O_CLOEXEC is always added. */
    public static final int O_RDONLY = 0;
    /** Opens for writing. */
    public static final int O_WRONLY = 1;
    /** Opens for reading and writing. */
    public static final int O_RDWR = 2;
    /** Creates the file when it does not exist. */
    public static final int O_CREAT = 0100;
    /** Fails when the file exists. */
    public static final int O_EXCL = 0200;
    /** Empties the file. */
    public static final int O_TRUNC = 01000;
    /** Writes at the end. */
    public static final int O_APPEND = 02000;
    /** Does not wait, for FIFOs and devices. */
    public static final int O_NONBLOCK = 04000;
    /** Fails unless it is a directory. */
    public static final int O_DIRECTORY = Nr.X86 ? 0200000 : 040000;
    /** Fails when the last component is a symbolic link. */
    public static final int O_NOFOLLOW = Nr.X86 ? 0400000 : 0100000;
    /** Leaves the access time alone; the owner only. */
    public static final int O_NOATIME = 01000000;
    /** Opens the place, not the content. */
    public static final int O_PATH = 010000000;
    /** Opens a file without a name in a directory. */
    public static final int O_TMPFILE = 020000000 | O_DIRECTORY;
    /** Reads the range soon: {@code posix_fadvise(2)}. */
    public static final int FADV_WILLNEED = 3;
    /** Drops the range from the page cache: {@code posix_fadvise(2)}. */
    public static final int FADV_DONTNEED = 4;

    private static final int O_CLOEXEC = 02000000;
    private static final int RESOLVE_BENEATH_NO_LINKS = 0x08 | 0x04 | 0x02;
    private static final long OPEN_HOW_BYTES = 24;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int LOCK_EX_NB = 2 | 4;
    private static final int F_SETSIG = 10;
    private static final int F_SETLEASE = 1024;
    private static final int F_RDLCK = 0;
    private static final int F_UNLCK = 2;
    private static final int SIGURG = 23;
    private static final long UTIME_OMIT = (1L << 30) - 2;

    private int value;

    private Fd(int value) {
        this.value = value;
    }

    /** Takes ownership of an open descriptor. */
    public static Fd ofValue(int value) {
        if (value < 0) {
            throw new IllegalArgumentException("not a descriptor: " + value);
        }
        return new Fd(value);
    }

    /**
     * Opens a file.
     *
     * @param path the file
     * @param flags O_ constants
     * @param mode permissions of a file that is created
     * @throws ErrnoException with any errno of open(2)
     */
    public static Fd open(Pathname path, int flags, int mode) throws ErrnoException {
        return new Fd(check("open", tryOpen(path, flags, mode), path));
    }

    /** Opens a file; returns the descriptor or -errno. */
    public static int tryOpen(Pathname path, int flags, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            return tryOpen(path.toCString(arena), flags, mode);
        }
    }

    /** Opens a file named by a C string (borrowed); returns the descriptor or -errno. */
    public static int tryOpen(MemorySegment path, int flags, int mode) {
        return (int) SystemCall.repeatable(
                Nr.OPENAT, Nr.AT_FDCWD, path.address(), flags | O_CLOEXEC, mode, 0, 0);
    }

    /** Opens a name in an open directory. */
    public static Fd openAt(Fd directory, Pathname name, int flags, int mode) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            long fd = SystemCall.once(
                    Nr.OPENAT, directory.value, name.toCString(arena).address(), flags | O_CLOEXEC, mode, 0, 0);
            return new Fd(check("openat", fd, name));
        }
    }

    /**
     * Opens a path below a directory and nowhere else: no symbolic link is followed and no {@code ..} leads out
     * ({@code openat2(2)}, RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, since Linux 5.6).
     *
     * @throws ErrnoException ELOOP for a link on the way, EXDEV for a path that leads out, and any of open(2)
     */
    public static Fd openBeneath(Fd directory, Pathname relative, int flags, int mode) throws ErrnoException {
        return new Fd(check("openat2", tryOpenBeneath(directory, relative, flags, mode), relative));
    }

    /** Opens like {@link #openBeneath}; returns the descriptor or -errno. */
    public static int tryOpenBeneath(Fd directory, Pathname relative, int flags, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment how = arena.allocate(OPEN_HOW_BYTES, 8);
            how.set(ValueLayout.JAVA_LONG, 0, flags | O_CLOEXEC);
            boolean creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
            how.set(ValueLayout.JAVA_LONG, 8, creates ? mode : 0);
            how.set(ValueLayout.JAVA_LONG, 16, RESOLVE_BENEATH_NO_LINKS);
            return (int) SystemCall.once(
                    Nr.OPENAT2,
                    directory.value,
                    relative.toCString(arena).address(),
                    how.address(),
                    OPEN_HOW_BYTES,
                    0,
                    0);
        }
    }

    /** Returns the descriptor's number; -1 after close. */
    public int value() {
        return value;
    }

    /** Says whether the descriptor is open. */
    public boolean isOpen() {
        return value >= 0;
    }

    /**
     * Reads at a position; plain call, it may sleep.
     *
     * @return bytes read, 0 at the end of the file, or -errno
     */
    public long pread(MemorySegment buffer, long offset, long length, long position) {
        return SystemCall.repeatable(
                Nr.PREAD64, value, address(buffer, offset, length), length, position, 0, 0);
    }

    /** Reads at the file offset; returns bytes read, 0 at the end, or -errno. */
    public long read(MemorySegment buffer, long offset, long length) {
        return SystemCall.once(Nr.READ, value, address(buffer, offset, length), length, 0, 0, 0);
    }

    /** Writes at a position; returns bytes written or -errno. */
    public long pwrite(MemorySegment buffer, long offset, long length, long position) {
        return SystemCall.repeatable(
                Nr.PWRITE64, value, address(buffer, offset, length), length, position, 0, 0);
    }

    /** Writes at the file offset; returns bytes written or -errno. */
    public long write(MemorySegment buffer, long offset, long length) {
        return SystemCall.once(Nr.WRITE, value, address(buffer, offset, length), length, 0, 0, 0);
    }

    /**
     * Copies bytes to another file within the kernel ({@code copy_file_range(2)}).
     *
     * @return bytes copied, 0 when the source ended, or -errno (EXDEV, EINVAL, EOPNOTSUPP: copy by reading instead)
     */
    public long copyFileRange(long position, Fd target, long targetPosition, long length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment positions = arena.allocate(16, 8);
            positions.set(ValueLayout.JAVA_LONG, 0, position);
            positions.set(ValueLayout.JAVA_LONG, 8, targetPosition);
            return SystemCall.once(
                    Nr.COPY_FILE_RANGE, value, positions.address(), target.value, positions.address() + 8, length, 0);
        }
    }

    /** Returns the position of the next data at or after a position, or -errno (ENXIO: only a hole follows). */
    public long seekData(long position) {
        return SystemCall.repeatable(Nr.LSEEK, value, position, SEEK_DATA, 0, 0, 0);
    }

    /** Returns the position of the next hole at or after a position, or -errno; the end of the file is one. */
    public long seekHole(long position) {
        return SystemCall.repeatable(Nr.LSEEK, value, position, SEEK_HOLE, 0, 0, 0);
    }

    /** Reads at a position until the length or the end of the file; returns the bytes read. */
    public long preadFully(MemorySegment buffer, long offset, long length, long position) throws ErrnoException {
        long done = 0;
        while (done < length) {
            long read = pread(buffer, offset + done, length - done, position + done);
            if (read == 0) {
                break;
            }
            done += checkLong("pread", read);
        }
        return done;
    }

    /** Writes everything at the file offset. */
    public void writeFully(MemorySegment buffer, long offset, long length) throws ErrnoException {
        for (long done = 0; done < length; ) {
            done += checkLong("write", write(buffer, offset + done, length - done));
        }
    }

    /** Writes everything at a position. */
    public void pwriteFully(MemorySegment buffer, long offset, long length, long position) throws ErrnoException {
        for (long done = 0; done < length; ) {
            done += checkLong("pwrite", pwrite(buffer, offset + done, length - done, position + done));
        }
    }

    /** Makes content and metadata durable. A failure means the written pages may be gone: write a new file. */
    public void fsync() throws ErrnoException {
        checkLong("fsync", SystemCall.once(Nr.FSYNC, value, 0, 0, 0, 0, 0));
    }

    /** Makes content durable. */
    public void fdatasync() throws ErrnoException {
        checkLong("fdatasync", SystemCall.once(Nr.FDATASYNC, value, 0, 0, 0, 0, 0));
    }

    /** Sets the length of the file in bytes. */
    public void truncate(long length) throws ErrnoException {
        checkLong("ftruncate", SystemCall.once(Nr.FTRUNCATE, value, length, 0, 0, 0, 0));
    }

    /** Sets the permissions. */
    public void chmod(int mode) throws ErrnoException {
        checkLong("fchmod", SystemCall.once(Nr.FCHMOD, value, mode, 0, 0, 0, 0));
    }

    /** Sets owner and group. */
    public void chown(int uid, int gid) throws ErrnoException {
        checkLong("fchown", SystemCall.once(Nr.FCHOWN, value, uid, gid, 0, 0, 0));
    }

    /** Sets access and modification time in nanoseconds since 1970; Long.MIN_VALUE leaves one as it is. */
    public void setTimes(long atimeNs, long mtimeNs) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment times = timespecs(arena, atimeNs, mtimeNs);
            checkLong("utimensat", SystemCall.once(Nr.UTIMENSAT, value, 0, times.address(), 0, 0, 0));
        }
    }

    static MemorySegment timespecs(Arena arena, long atimeNs, long mtimeNs) {
        MemorySegment times = arena.allocate(32, 8);
        long[] values = {atimeNs, mtimeNs};
        for (int i = 0; i < 2; i++) {
            boolean omit = values[i] == Long.MIN_VALUE;
            times.set(ValueLayout.JAVA_LONG, i * 16L, omit ? 0 : Math.floorDiv(values[i], 1_000_000_000L));
            times.set(
                    ValueLayout.JAVA_LONG, i * 16L + 8, omit ? UTIME_OMIT : Math.floorMod(values[i], 1_000_000_000L));
        }
        return times;
    }

    /** Takes an exclusive lock on the open file (flock); false when another holds it. */
    public boolean tryLockExclusive() throws ErrnoException {
        long locked = SystemCall.once(Nr.FLOCK, value, LOCK_EX_NB, 0, 0, 0, 0);
        if (locked == -Errno.EAGAIN) {
            return false;
        }
        checkLong("flock", locked);
        return true;
    }

    /** Tells the kernel how a range will be used; advice only, failures are ignored. */
    public void advise(long position, long length, int advice) {
        SystemCall.repeatable(Nr.FADVISE64, value, position, length, advice, 0, 0);
    }

    /**
     * Asks whether anybody has the file open for writing, by taking a read lease for a moment. Only for files without
     * a name: opening a named file meanwhile would wait for the lease.
     *
     * @return 0 when nobody has, -EAGAIN when a writer is left, another -errno when the kernel does not say
     */
    public int probeReadLease() {
        // a broken lease raises SIGIO, which would end the process; SIGURG is ignored by default
        long quiet = SystemCall.once(Nr.FCNTL, value, F_SETSIG, SIGURG, 0, 0, 0);
        if (quiet < 0) {
            return (int) quiet;
        }
        long leased = SystemCall.once(Nr.FCNTL, value, F_SETLEASE, F_RDLCK, 0, 0, 0);
        if (leased == 0) {
            SystemCall.once(Nr.FCNTL, value, F_SETLEASE, F_UNLCK, 0, 0, 0);
        }
        return (int) leased;
    }

    private static long address(MemorySegment buffer, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, buffer.byteSize());
        if (!buffer.isNative()) {
            throw new IllegalArgumentException("the buffer must be native memory");
        }
        return buffer.address() + offset;
    }

    private long checkLong(String call, long result) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(call, (int) -result, "descriptor " + value);
        }
        return result;
    }

    static int check(String call, long result, Pathname path) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(call, (int) -result, path.toString());
        }
        return (int) result;
    }

    /** Closes the descriptor; closing again does nothing. Never repeated: Linux closes even when it reports a failure. */
    @Override
    public void close() {
        if (value >= 0) {
            int closing = value;
            value = -1;
            SystemCall.once(Nr.CLOSE, closing, 0, 0, 0, 0, 0);
        }
    }
}
