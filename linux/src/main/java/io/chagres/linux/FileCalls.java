package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Calls on open files: open(2), read(2), write(2), lseek(2), fsync(2), fcntl(2) and their family. Raw: the result or
 * {@code -errno}. Calls that a signal interrupts are made again, except close.
 */
final class FileCalls {
    private static final SystemCall PREAD = SystemCall.hot("pread64");
    private static final SystemCall READ = SystemCall.hot("read");
    private static final SystemCall PWRITE = SystemCall.hot("pwrite64");
    private static final SystemCall COPY_FILE_RANGE = SystemCall.hot("copy_file_range");
    private static final SystemCall LSEEK = SystemCall.hot("lseek");
    private static final SystemCall WRITE = SystemCall.of("write");
    private static final SystemCall WRITEV = SystemCall.of("writev");
    private static final CapturedCall OPENAT = CapturedCall.of("openat");
    private static final CapturedCall SYSCALL = CapturedCall.of("syscall");
    private static final CapturedCall CLOSE = CapturedCall.of("close");
    private static final CapturedCall FSYNC = CapturedCall.of("fsync");
    private static final CapturedCall FDATASYNC = CapturedCall.of("fdatasync");
    private static final CapturedCall FTRUNCATE = CapturedCall.of("ftruncate");
    private static final CapturedCall FCHMOD = CapturedCall.of("fchmod");
    private static final CapturedCall FCHOWN = CapturedCall.of("fchown");
    private static final CapturedCall FUTIMENS = CapturedCall.of("futimens");
    private static final CapturedCall FLOCK = CapturedCall.of("flock");
    private static final CapturedCall FCNTL = CapturedCall.of("fcntl");
    private static final CapturedCall FADVISE = CapturedCall.of("posix_fadvise");
    private static final CapturedCall FALLOCATE = CapturedCall.of("fallocate");
    private static final CapturedCall SYNCFS = CapturedCall.of("syncfs");

    /** The C library's pwritev2 falls back to others; the kernel's takes the position in two halves. */
    private static final SystemCall PWRITEV2 = SystemCall.of(Architecture.IS_AARCH64 ? 287 : 328);

    private static final int RWF_APPEND = 0x10;

    /** The same number on every architecture since Linux 5.6. */
    private static final int SYS_OPENAT2 = 437;

    private static final int OPEN_HOW_BYTES = 24;

    static final int SEEK_SET = 0;

    private FileCalls() {}

    static int openat(int dirFd, MemorySegment path, int flags, int mode) {
        return openat(dirFd, path, 0, flags, mode);
    }

    /** The path is a C string in the memory, beginning there. */
    static int openat(int dirFd, MemorySegment memory, long path, int flags, int mode) {
        long address = Segments.address(memory, path, 1);
        int fd;
        do {
            fd = OPENAT.callInt(memory, dirFd, address, flags, mode, 0);
        } while (fd == -Errno.EINTR);
        return fd;
    }

    static int openat2(int dirFd, MemorySegment path, int flags, int mode, long resolve) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment how = frame.allocate(OPEN_HOW_BYTES, 8);
            how.set(ValueLayout.JAVA_LONG, 0, flags & 0xffff_ffffL);
            how.set(ValueLayout.JAVA_LONG, 8, mode);
            how.set(ValueLayout.JAVA_LONG, 16, resolve);
            int fd;
            do {
                fd = SYSCALL.callInt(SYS_OPENAT2, dirFd, path.address(), how.address(), OPEN_HOW_BYTES);
            } while (fd == -Errno.EINTR);
            return fd;
        }
    }

    static int close(int fd) {
        return CLOSE.callInt(fd);
    }

    static long pread(int fd, MemorySegment buffer, long offset, long length, long position) {
        long to = Segments.writableAddress(buffer, offset, length);
        long n;
        do {
            n = PREAD.callLong(buffer, fd, to, length, position, 0, 0);
        } while (n == -Errno.EINTR);
        return n;
    }

    static long read(int fd, MemorySegment buffer, long offset, long length) {
        long n;
        do {
            n = readUntilSignal(fd, buffer, offset, length);
        } while (n == -Errno.EINTR);
        return n;
    }

    static long readUntilSignal(int fd, MemorySegment buffer, long offset, long length) {
        long to = Segments.writableAddress(buffer, offset, length);
        return READ.callLong(buffer, fd, to, length, 0, 0, 0);
    }

    static long pwrite(int fd, MemorySegment buffer, long offset, long length, long position) {
        long from = Segments.address(buffer, offset, length);
        long n;
        do {
            n = PWRITE.callLong(buffer, fd, from, length, position, 0, 0);
        } while (n == -Errno.EINTR);
        return n;
    }

    /** Never made twice to learn why it failed: the file may have grown. */
    static long write(int fd, MemorySegment buffer, long offset, long length) {
        long from = Segments.address(buffer, offset, length);
        long n;
        do {
            n = WRITE.callLong(buffer, fd, from, length, 0, 0, 0);
        } while (n == -Errno.EINTR);
        return n;
    }

    /** The segments that the vector points to are kept alive by the caller. */
    static long writev(int fd, MemorySegment vector, int count) {
        long n;
        do {
            n = WRITEV.callLong(vector, fd, vector.address(), count, 0, 0, 0);
        } while (n == -Errno.EINTR);
        return n;
    }

    /** Writes at the end, whatever the flags of the descriptor; never made twice to learn why it failed. */
    static long append(int fd, MemorySegment buffer, long offset, long length) {
        long from = Segments.borrowed(buffer, Segments.address(buffer, offset, length));
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment vector = frame.allocate(16, 8);
            vector.set(ValueLayout.JAVA_LONG, 0, from);
            vector.set(ValueLayout.JAVA_LONG, 8, length);
            long n;
            do {
                n = PWRITEV2.callLong(vector, fd, vector.address(), 1, 0, 0, RWF_APPEND);
            } while (n == -Errno.EINTR);
            return n;
        }
    }

    static int fallocate(int fd, int mode, long position, long length) {
        int result;
        do {
            result = FALLOCATE.callInt(fd, mode, position, length);
        } while (result == -Errno.EINTR);
        return result;
    }

    static int syncfs(int fd) {
        return retried(SYNCFS, fd, 0);
    }

    static long copyFileRange(int from, long position, int to, long toPosition, long length) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment positions = frame.allocate(16, 8);
            long n;
            do {
                positions.set(ValueLayout.JAVA_LONG, 0, position);
                positions.set(ValueLayout.JAVA_LONG, 8, toPosition);
                long address = positions.address();
                n = COPY_FILE_RANGE.callLong(positions, from, address, to, address + 8, length, 0);
            } while (n == -Errno.EINTR);
            return n;
        }
    }

    static long lseek(int fd, long position, int whence) {
        return LSEEK.callLong(MemorySegment.NULL, fd, position, whence, 0, 0, 0);
    }

    static int fsync(int fd) {
        return retried(FSYNC, fd, 0);
    }

    static int fdatasync(int fd) {
        return retried(FDATASYNC, fd, 0);
    }

    static int ftruncate(int fd, long length) {
        return retried(FTRUNCATE, fd, length);
    }

    static int fchmod(int fd, int mode) {
        return FCHMOD.callInt(fd, mode);
    }

    static int fchown(int fd, int uid, int gid) {
        return FCHOWN.callInt(fd, uid, gid);
    }

    static int futimens(int fd, long atimeNs, long mtimeNs) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return FUTIMENS.callInt(fd, Timespecs.pair(frame, atimeNs, mtimeNs).address());
        }
    }

    static int flock(int fd, int operation) {
        return retried(FLOCK, fd, operation);
    }

    static int fcntl(int fd, int command, long argument) {
        return FCNTL.callInt(fd, command, argument);
    }

    /** This one returns its error number instead of setting errno. */
    static int fadvise(int fd, long position, long length, int advice) {
        return -FADVISE.callInt(fd, position, length, advice);
    }

    private static int retried(CapturedCall call, int fd, long argument) {
        int result;
        do {
            result = call.callInt(fd, argument);
        } while (result == -Errno.EINTR);
        return result;
    }
}
