package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.MemorySegment;

/** Opens paths that must not leave a directory: openat2(2), or component by component before Linux 5.6. */
final class BeneathOpen {
    private static final long RESOLVE_NO_MAGICLINKS = 0x02;
    private static final long RESOLVE_NO_SYMLINKS = 0x04;
    private static final long RESOLVE_BENEATH = 0x08;
    private static final int DIRECTORY = Fd.O_PATH | Fd.O_DIRECTORY | Fd.O_NOFOLLOW | Fd.O_CLOEXEC;
    private static final long RESOLVE = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;

    /** openat2 gives up with EAGAIN when a rename elsewhere raced with "..". */
    private static final int ATTEMPTS = 100;

    private BeneathOpen() {}

    /** Opens a path without a symbolic link in it; where openat2 is not known, only the last name is refused. */
    static int withoutLinks(MemorySegment path, int flags) {
        int fd = FileCalls.openat2(StatusCalls.AT_FDCWD, path, flags, 0, RESOLVE_NO_SYMLINKS);
        return isUnknown(fd) ? FileCalls.openat(StatusCalls.AT_FDCWD, path, flags | Fd.O_NOFOLLOW, 0) : fd;
    }

    /** Sandboxes that do not know openat2 answer EPERM; the other way finds out whether the file does, too. */
    private static boolean isUnknown(int fd) {
        return fd == -Errno.ENOSYS || fd == -Errno.EPERM;
    }

    static int open(int dirFd, Pathname relative, int flags, int mode) {
        Pathname rest = relative;
        int current = dirFd;
        while (true) {
            int cut = rest.length() < Pathname.PATH_MAX ? 0 : lastSlash(rest, Pathname.PATH_MAX - 1);
            int next = cut == 0
                    ? openAll(current, rest, flags, mode)
                    : openAll(current, Pathname.ofBytes(rest.bytes(), 0, cut), DIRECTORY, 0);
            if (current != dirFd) {
                FileCalls.close(current);
            }
            if (next < 0 || cut == 0) {
                return next;
            }
            current = next;
            rest = behindSlashes(rest, cut);
        }
    }

    private static int lastSlash(Pathname path, int before) {
        int at = before;
        while (at > 0 && path.byteAt(at) != '/') {
            at--;
        }
        return at;
    }

    /** Returns what follows slashes; the directory itself when nothing does. */
    private static Pathname behindSlashes(Pathname path, int from) {
        int at = from;
        while (at < path.length() && path.byteAt(at) == '/') {
            at++;
        }
        return at == path.length() ? Pathname.of(".") : Pathname.ofBytes(path.bytes(), at, path.length() - at);
    }

    /** Opens what one call takes. */
    private static int openAll(int dirFd, Pathname relative, int flags, int mode) {
        int createMode = (flags & Fd.O_CREAT) != 0 || (flags & Fd.O_TMPFILE) == Fd.O_TMPFILE ? mode & 07777 : 0;
        int fd = -Errno.EAGAIN;
        try (Frame frame = MemoryStack.ofThread().push()) {
            for (int i = 0; i < ATTEMPTS && fd == -Errno.EAGAIN; i++) {
                fd = FileCalls.openat2(dirFd, relative.toCString(frame), flags, createMode, RESOLVE);
            }
        }
        return isUnknown(fd) ? walk(dirFd, relative, flags, createMode) : fd;
    }

    /** Opens one component at a time without following links; ".." is refused even where it would stay inside. */
    static int walk(int dirFd, Pathname relative, int flags, int mode) {
        if (relative.isAbsolute()) {
            return -Errno.EXDEV;
        }
        if (relative.length() == 0) {
            return -Errno.ENOENT;
        }
        int current = dirFd;
        for (int start = 0; ; ) {
            int end = start;
            while (end < relative.length() && relative.byteAt(end) != '/') {
                end++;
            }
            boolean last = end >= relative.length();
            int next = step(current, component(relative, start, end), flags, mode, last);
            if (current != dirFd) {
                FileCalls.close(current);
            }
            if (next < 0 || last) {
                return next;
            }
            current = next;
            start = end + 1;
        }
    }

    private static Pathname component(Pathname path, int start, int end) {
        // An empty component, of a double or last slash, means the directory itself.
        return start == end ? Pathname.of(".") : Pathname.ofBytes(path.bytes(), start, end - start);
    }

    private static int step(int dirFd, Pathname name, int flags, int mode, boolean last) {
        if (name.length() == 2 && name.byteAt(0) == '.' && name.byteAt(1) == '.') {
            return -Errno.EXDEV;
        }
        int how = last ? flags | Fd.O_NOFOLLOW : DIRECTORY;
        try (Frame frame = MemoryStack.ofThread().push()) {
            return FileCalls.openat(dirFd, name.toCString(frame), how, mode);
        }
    }
}
