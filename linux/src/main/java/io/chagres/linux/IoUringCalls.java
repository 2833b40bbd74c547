package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.MemorySegment;

/**
 * io_uring_setup(2) and io_uring_enter(2). Raw: the result or {@code -errno}. The C library has no
 * functions for these; their numbers are the same on every architecture.
 */
final class IoUringCalls {
    private static final SystemCall SETUP = SystemCall.of(425);
    private static final SystemCall ENTER = SystemCall.of(426);

    private static final int ENTER_GETEVENTS = 1;
    private static final int ENTER_EXT_ARG = 8;

    private IoUringCalls() {}

    static int setup(int entries, MemorySegment params) {
        return SETUP.callInt(params, entries, params.address(), 0, 0, 0);
    }

    /** Submits, then waits. The end of the time and a signal are no failures. */
    static int enter(int ringFd, int submit, int completions, MemorySegment wait) {
        int flags = ENTER_GETEVENTS | ENTER_EXT_ARG;
        long n = ENTER.callLong(wait, ringFd, submit, completions, flags, wait.address(), WaitArgument.BYTES);
        return n == -Errno.ETIME || n == -Errno.EINTR ? 0 : (int) n;
    }
}
