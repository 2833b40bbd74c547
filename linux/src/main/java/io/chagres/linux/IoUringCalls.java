package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.call.HotCall;
import java.lang.foreign.MemorySegment;

/** io_uring_setup(2), io_uring_enter(2), io_uring_register(2). Raw: the result or {@code -errno}. */
final class IoUringCalls {
    /** The C library has no functions for these; the numbers are the same on every architecture. */
    private static final int SYS_IO_URING_SETUP = 425;

    private static final int SYS_IO_URING_ENTER = 426;
    private static final int SYS_IO_URING_REGISTER = 427;

    private static final int ENTER_GETEVENTS = 1;
    private static final int ENTER_EXT_ARG = 8;

    /** The seventh argument of syscall(2) is the size of struct io_uring_getevents_arg: a number, not a pointer. */
    private static final MemorySegment WAIT_BYTES = MemorySegment.ofAddress(WaitArgument.BYTES);

    private static final HotCall SYSCALL = HotCall.of("syscall");

    private IoUringCalls() {}

    static int setup(int entries, MemorySegment params) {
        return (int) SYSCALL.repeat().callLong(params, SYS_IO_URING_SETUP, entries, params.address(), 0, 0, 0);
    }

    /**
     * Submits, then waits. A failure had no effect, so it is repeated to learn why, but without the waiting; if there
     * is then no failure, the first was the end of the time or a signal.
     */
    static int enter(int ringFd, int submit, int completions, WaitArgument wait) {
        int flags = ENTER_GETEVENTS | ENTER_EXT_ARG;
        long argument = wait.address();
        int n = (int) SYSCALL.uncaptured(WAIT_BYTES, SYS_IO_URING_ENTER, ringFd, submit, completions, flags, argument);
        if (n != -1) {
            return n;
        }
        n = (int) SYSCALL.repeat().callLong(WAIT_BYTES, SYS_IO_URING_ENTER, ringFd, submit, 0, flags, argument);
        return n == -Errno.ETIME || n == -Errno.EINTR ? 0 : n;
    }

    static int register(int ringFd, int opcode, MemorySegment argument, int count) {
        return (int) SYSCALL.repeat()
                .callLong(argument, SYS_IO_URING_REGISTER, ringFd, opcode, argument.address(), count, 0);
    }
}
