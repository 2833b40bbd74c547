package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.call.CapturedCall;
import io.chagres.foreign.call.HotCall;
import java.lang.foreign.MemorySegment;

/** Calls of epoll(7) and eventfd(2). Raw: the result or {@code -errno}. */
final class EpollCalls {
    private static final CapturedCall EPOLL_CREATE1 = CapturedCall.of("epoll_create1");
    private static final CapturedCall EPOLL_CTL = CapturedCall.of("epoll_ctl");
    private static final HotCall EPOLL_WAIT = HotCall.of("epoll_wait");
    private static final CapturedCall EVENTFD = CapturedCall.of("eventfd");
    private static final HotCall WRITE = HotCall.of("write");

    private EpollCalls() {}

    static int create1(int flags) {
        return EPOLL_CREATE1.callInt(flags);
    }

    static int ctl(int epollFd, int operation, int fd, MemorySegment event) {
        return EPOLL_CTL.callInt(epollFd, operation, fd, event.address());
    }

    /** Interrupted waiting counts as a timeout, so the repetition that asks why it failed must not wait again. */
    static int await(int epollFd, MemorySegment events, int maxEvents, int timeoutMs) {
        long address = events.address();
        int n = (int) EPOLL_WAIT.uncaptured(events, epollFd, address, maxEvents, timeoutMs, 0, 0);
        if (n >= 0) {
            return n;
        }
        int again = EPOLL_WAIT.repeat().callInt(events, epollFd, address, maxEvents, 0, 0);
        return again == -Errno.EINTR ? 0 : again;
    }

    static int eventfd(int initial, int flags) {
        return EVENTFD.callInt(initial, flags);
    }

    /** Unlike writing to a file, this has no effect if it fails. */
    static long addToEventFd(int fd, MemorySegment value) {
        return WRITE.callLong(value, fd, value.address(), Long.BYTES, 0, 0, 0);
    }
}
