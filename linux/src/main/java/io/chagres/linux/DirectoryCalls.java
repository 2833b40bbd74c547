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
    private static final int SYS_GETCWD = Machine.IS_AARCH64 ? 17 : 79;

    private DirectoryCalls() {}

    static long getdents64(int fd, MemorySegment buffer) {
        return GETDENTS64.callLong(buffer, fd, buffer.address(), buffer.byteSize(), 0, 0, 0);
    }

    static int mkdirat(int dirFd, Pathname name, int mode) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return MKDIRAT.callInt(dirFd, name.toCString(frame).address(), mode);
        }
    }

    static int mknodat(int dirFd, Pathname name, int mode) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return MKNODAT.callInt(dirFd, name.toCString(frame).address(), mode, 0);
        }
    }

    static int unlinkat(int dirFd, Pathname name, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return UNLINKAT.callInt(dirFd, name.toCString(frame).address(), flags);
        }
    }

    static int linkat(int fromFd, Pathname from, int toFd, Pathname to, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            long source = from.toCString(frame).address();
            return LINKAT.callInt(fromFd, source, toFd, to.toCString(frame).address(), flags);
        }
    }

    static int renameat2(int fromFd, Pathname from, int toFd, Pathname to, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            long source = from.toCString(frame).address();
            return RENAMEAT2.callInt(fromFd, source, toFd, to.toCString(frame).address(), flags);
        }
    }

    static int symlinkat(Pathname target, int dirFd, Pathname name) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            long content = target.toCString(frame).address();
            return SYMLINKAT.callInt(content, dirFd, name.toCString(frame).address());
        }
    }

    static Pathname readlink(int dirFd, Pathname name) throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment target = frame.allocate(Pathname.PATH_MAX, 1);
            long path = name.toCString(frame).address();
            long n = READLINKAT.callLong(target, dirFd, path, target.address(), Pathname.PATH_MAX, 0, 0);
            if (n < 0) {
                throw new ErrnoException("readlink", (int) -n, name.toString());
            }
            return Pathname.ofSegment(target, 0, (int) n);
        }
    }

    static int utimensat(int dirFd, Pathname name, long atimeNs, long mtimeNs, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            long times = Timespecs.pair(frame, atimeNs, mtimeNs).address();
            return UTIMENSAT.callInt(dirFd, name.toCString(frame).address(), times, flags);
        }
    }

    static int fchownat(int dirFd, Pathname name, int uid, int gid, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return FCHOWNAT.callInt(dirFd, name.toCString(frame).address(), uid, gid, flags);
        }
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
