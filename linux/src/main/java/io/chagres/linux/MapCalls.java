package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;

/** Calls on mapped memory: mmap(2), munmap(2), madvise(2), msync(2). Raw: the result or {@code -errno}. */
final class MapCalls {
    private static final CapturedCall MMAP = CapturedCall.of("mmap");
    private static final CapturedCall MUNMAP = CapturedCall.of("munmap");
    private static final CapturedCall MADVISE = CapturedCall.of("madvise");
    private static final CapturedCall MSYNC = CapturedCall.of("msync");

    /** The unit of mappings. */
    static final long PAGE_BYTES = CapturedCall.of("getpagesize").callInt(0);

    private MapCalls() {}

    static long mmap(long length, int protection, int flags, int fd, long position) {
        return MMAP.callLong(MemorySegment.NULL, 0, length, protection, flags, fd, position);
    }

    static int munmap(long address, long length) {
        return MUNMAP.callInt(address, length);
    }

    static int madvise(MemorySegment memory, long address, long length, int advice) {
        int result;
        do {
            result = MADVISE.callInt(memory, address, length, advice, 0, 0);
        } while (result == -Errno.EINTR);
        return result;
    }

    static int msync(MemorySegment memory, int flags) {
        return MSYNC.callInt(memory, memory.address(), memory.byteSize(), flags, 0, 0);
    }
}
