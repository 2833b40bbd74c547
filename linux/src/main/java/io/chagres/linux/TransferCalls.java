package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import io.chagres.foreign.call.HotCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** pipe2(2), sendfile(2) and splice(2). Raw: the result or {@code -errno}; interrupted calls are made again. */
final class TransferCalls {
    private static final CapturedCall PIPE2 = CapturedCall.of("pipe2");
    private static final HotCall SENDFILE = HotCall.of("sendfile");
    private static final HotCall SPLICE = HotCall.of("splice");

    private TransferCalls() {}

    static int pipe2(MemorySegment ends, int flags) {
        return PIPE2.callInt(ends, ends.address(), flags, 0, 0, 0);
    }

    static long sendfile(int to, int from, long position, long length) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment offset = frame.allocate(8, 8);
            long n;
            do {
                offset.set(ValueLayout.JAVA_LONG, 0, position);
                n = SENDFILE.callLong(offset, to, from, offset.address(), length, 0, 0);
            } while (n == -Errno.EINTR);
            return n;
        }
    }

    /** Negative positions stand for no pointer: the descriptor's own position, or a pipe, which has none. */
    static long splice(int from, long position, int to, long toPosition, long length, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment offsets = frame.allocate(16, 8);
            long address = offsets.address();
            long n;
            do {
                offsets.set(ValueLayout.JAVA_LONG, 0, position);
                offsets.set(ValueLayout.JAVA_LONG, 8, toPosition);
                n = SPLICE.callLong(
                        offsets, from, position < 0 ? 0 : address, to, toPosition < 0 ? 0 : address + 8, length, flags);
            } while (n == -Errno.EINTR);
            return n;
        }
    }
}
