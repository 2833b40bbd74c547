package io.chagres.linux;

import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;

/**
 * Calls that change what a path leads to, following links: chmod(2), truncate(2), setxattr(2) and its family. Raw: the
 * result or {@code -errno}. The path is a C string at the start of its memory and kept alive by the caller.
 */
final class AttributeCalls {
    private static final CapturedCall CHMOD = CapturedCall.of("chmod");
    private static final CapturedCall TRUNCATE = CapturedCall.of("truncate");
    private static final CapturedCall SETXATTR = CapturedCall.of("setxattr");
    private static final CapturedCall GETXATTR = CapturedCall.of("getxattr");
    private static final CapturedCall LISTXATTR = CapturedCall.of("listxattr");
    private static final CapturedCall REMOVEXATTR = CapturedCall.of("removexattr");

    private AttributeCalls() {}

    static int chmod(MemorySegment path, int mode) {
        return CHMOD.callInt(path, path.address(), mode, 0, 0, 0);
    }

    static int truncate(MemorySegment path, long length) {
        return TRUNCATE.callInt(path, path.address(), length, 0, 0, 0);
    }

    static int setxattr(MemorySegment path, long nameAddress, MemorySegment value, long at, int length, int flags) {
        long from = Segments.address(value, at, length);
        return SETXATTR.callInt(value, path.address(), nameAddress, from, length, flags);
    }

    static long getxattr(MemorySegment path, long nameAddress, MemorySegment buffer, long at, long length) {
        long to = Segments.writableAddress(buffer, at, length);
        return GETXATTR.callLong(buffer, path.address(), nameAddress, to, length, 0, 0);
    }

    static long listxattr(MemorySegment path, MemorySegment buffer, long at, long length) {
        long to = Segments.writableAddress(buffer, at, length);
        return LISTXATTR.callLong(buffer, path.address(), to, length, 0, 0, 0);
    }

    static int removexattr(MemorySegment path, MemorySegment memory, long name) {
        return REMOVEXATTR.callInt(memory, path.address(), Segments.address(memory, name, 1), 0, 0, 0);
    }
}
