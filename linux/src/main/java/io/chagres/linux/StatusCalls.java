package io.chagres.linux;

import io.chagres.foreign.call.CapturedCall;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.MemorySegment;

/** Calls that describe a file: statx(2), name_to_handle_at(2), fstatfs(2), ioctl(2). Raw: the result or -errno. */
final class StatusCalls {
    static final int AT_FDCWD = -100;
    static final int AT_SYMLINK_NOFOLLOW = 0x100;
    static final int AT_HANDLE_FID = 0x200;
    static final int AT_SYMLINK_FOLLOW = 0x400;
    static final int AT_NO_AUTOMOUNT = 0x800;
    static final int AT_EMPTY_PATH = 0x1000;
    static final int AT_STATX_DONT_SYNC = 0x4000;

    private static final SystemCall STATX = SystemCall.hot("statx");
    private static final SystemCall NAME_TO_HANDLE_AT = SystemCall.hot("name_to_handle_at");
    private static final CapturedCall OPEN_BY_HANDLE_AT = CapturedCall.of("open_by_handle_at");
    private static final CapturedCall FSTATFS = CapturedCall.of("fstatfs");
    private static final CapturedCall IOCTL = CapturedCall.of("ioctl");

    private StatusCalls() {}

    /** The buffer is alive and its owner keeps it so during the call; the path may be anybody's. */
    static int statx(int dirFd, MemorySegment memory, long path, int flags, int mask, MemorySegment buffer) {
        long to = Segments.borrowed(buffer, buffer.address());
        return STATX.callInt(memory, dirFd, Segments.address(memory, path, 1), flags, mask, to);
    }

    static int nameToHandleAt(int dirFd, MemorySegment path, MemorySegment handle, MemorySegment mountId, int flags) {
        return NAME_TO_HANDLE_AT.callInt(handle, dirFd, path.address(), handle.address(), mountId.address(), flags);
    }

    static int openByHandleAt(int mountFd, MemorySegment handle, int flags) {
        return OPEN_BY_HANDLE_AT.callInt(mountFd, handle.address(), flags);
    }

    static int fstatfs(int fd, MemorySegment buffer) {
        return FSTATFS.callInt(buffer, fd, buffer.address(), 0, 0, 0);
    }

    static int ioctl(int fd, long request, MemorySegment argument) {
        return IOCTL.callInt(argument, fd, request, argument.address(), 0, 0);
    }
}
