package io.chagres.linux;

import io.chagres.foreign.CString;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.MemorySegment;

/**
 * Calls on names: getdents64(2), mkdirat(2), unlinkat(2), linkat(2), renameat2(2), symlinkat(2), readlinkat(2) and
 * their family. Raw: the result or {@code -errno}, unless they return what they read.
 */
final class DirectoryCalls {
    private static final SystemCall GETDENTS64 = SystemCall.hot("getdents64");
    private static final CapturedCall MKDIRAT = CapturedCall.of("mkdirat");
    private static final CapturedCall MKNODAT = CapturedCall.of("mknodat");
    private static final CapturedCall UNLINKAT = CapturedCall.of("unlinkat");
    private static final CapturedCall LINKAT = CapturedCall.of("linkat");
    private static final CapturedCall RENAMEAT2 = CapturedCall.of("renameat2");
    private static final CapturedCall SYMLINKAT = CapturedCall.of("symlinkat");
    private static final CapturedCall READLINKAT = CapturedCall.of("readlinkat");
    private static final CapturedCall UTIMENSAT = CapturedCall.of("utimensat");
    private static final CapturedCall FCHOWNAT = CapturedCall.of("fchownat");
    private static final CapturedCall SYSCALL = CapturedCall.of("syscall");

    /** The C library's getcwd returns a pointer; the kernel's returns a length. */
    private static final int SYS_GETCWD = Architecture.IS_AARCH64 ? 17 : 79;

    private DirectoryCalls() {}

    static long getdents64(int fd, MemorySegment buffer) {
        return GETDENTS64.callLong(buffer, fd, buffer.address(), buffer.byteSize(), 0, 0, 0);
    }

    static int mkdirat(int dirFd, Pathname name, int mode) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return mkdirat(dirFd, name.toCString(frame), 0, mode);
        }
    }

    /** Here and below: the name is a C string in the memory, beginning there. */
    static int mkdirat(int dirFd, MemorySegment memory, long name, int mode) {
        return MKDIRAT.callInt(memory, dirFd, Segments.address(memory, name, 1), mode, 0, 0);
    }

    static int mknodat(int dirFd, Pathname name, int mode) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return mknodat(dirFd, name.toCString(frame), 0, mode, 0);
        }
    }

    static int mknodat(int dirFd, MemorySegment memory, long name, int mode, int device) {
        long path = Segments.address(memory, name, 1);
        return MKNODAT.callInt(memory, dirFd, path, mode, Integer.toUnsignedLong(device), 0);
    }

    static int unlinkat(int dirFd, Pathname name, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return unlinkat(dirFd, name.toCString(frame), 0, flags);
        }
    }

    static int unlinkat(int dirFd, MemorySegment memory, long name, int flags) {
        return UNLINKAT.callInt(memory, dirFd, Segments.address(memory, name, 1), flags, 0, 0);
    }

    static int linkat(int fromFd, Pathname from, int toFd, Pathname to, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return linkat(fromFd, from.toCString(frame), toFd, to.toCString(frame), 0, flags);
        }
    }

    static int linkat(int fromFd, MemorySegment from, int toFd, MemorySegment memory, long name, int flags) {
        return LINKAT.callInt(memory, fromFd, from.address(), toFd, Segments.address(memory, name, 1), flags);
    }

    static int renameat2(int fromFd, Pathname from, int toFd, Pathname to, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment target = to.toCString(frame);
            return RENAMEAT2.callInt(target, fromFd, from.toCString(frame).address(), toFd, target.address(), flags);
        }
    }

    static int renameat2(int fromFd, MemorySegment memory, long name, int toFd, long toAddress, int flags) {
        return RENAMEAT2.callInt(memory, fromFd, Segments.address(memory, name, 1), toFd, toAddress, flags);
    }

    static int symlinkat(Pathname target, int dirFd, Pathname name) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return symlinkat(target.toCString(frame).address(), dirFd, name.toCString(frame), 0);
        }
    }

    static int symlinkat(long targetAddress, int dirFd, MemorySegment memory, long name) {
        return SYMLINKAT.callInt(memory, targetAddress, dirFd, Segments.address(memory, name, 1), 0, 0);
    }

    /** Reads into the buffer, without a NUL. */
    static long readlinkat(int dirFd, MemorySegment path, MemorySegment buffer) {
        return READLINKAT.callLong(buffer, dirFd, path.address(), buffer.address(), buffer.byteSize(), 0, 0);
    }

    static Pathname readlink(int dirFd, Pathname name) throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment target = frame.allocate(Pathname.PATH_MAX, 1);
            long n = readlinkat(dirFd, name.toCString(frame), target);
            if (n < 0) {
                throw new ErrnoException("readlink", (int) -n, name.toString());
            }
            return Pathname.ofSegment(target, 0, (int) n);
        }
    }

    static int utimensat(int dirFd, Pathname name, long atimeNs, long mtimeNs, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return utimensat(dirFd, name.toCString(frame), Timespecs.pair(frame, atimeNs, mtimeNs), flags);
        }
    }

    static int utimensat(int dirFd, MemorySegment path, MemorySegment times, int flags) {
        return UTIMENSAT.callInt(times, dirFd, path.address(), times.address(), flags, 0);
    }

    static int fchownat(int dirFd, Pathname name, int uid, int gid, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return fchownat(dirFd, name.toCString(frame), uid, gid, flags);
        }
    }

    static int fchownat(int dirFd, MemorySegment path, int uid, int gid, int flags) {
        return FCHOWNAT.callInt(path, dirFd, path.address(), uid, gid, flags);
    }

    static Pathname getcwd() throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment path = frame.allocate(Pathname.PATH_MAX, 1);
            int n = SYSCALL.callInt(SYS_GETCWD, path.address(), Pathname.PATH_MAX);
            if (n < 0) {
                throw new ErrnoException("getcwd", -n, "");
            }
            return Pathname.ofBytes(CString.decode(path, 0, n));
        }
    }
}
