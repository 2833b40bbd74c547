package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Owns an epoll instance ({@code epoll(7)}). Confined to one thread; waiting allocates nothing. */
public final class Epoll implements AutoCloseable {
    /** Data can be read. */
    public static final int EPOLLIN = 1;

    private static final int EPOLL_CLOEXEC = 02000000;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int MAX_EVENTS = 16;
    /** struct epoll_event is packed on x86-64 only. */
    private static final int DATA_OFFSET = Nr.X86 ? 4 : 8;

    private static final int EVENT_BYTES = DATA_OFFSET + 8;
    private static final ValueLayout.OfLong DATA = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Fd fd;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment events = arena.allocate((long) MAX_EVENTS * EVENT_BYTES, 8);

    private Epoll(Fd fd) {
        this.fd = fd;
    }

    /** Opens an instance. */
    public static Epoll open() throws ErrnoException {
        long fd = SystemCall.once(Nr.EPOLL_CREATE1, EPOLL_CLOEXEC, 0, 0, 0, 0, 0);
        if (fd < 0) {
            throw new ErrnoException("epoll_create1", (int) -fd, "");
        }
        return new Epoll(Fd.ofValue((int) fd));
    }

    /** Watches a descriptor for events; {@code data} comes back with them. */
    public void add(int descriptor, int mask, long data) throws ErrnoException {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment event = scratch.allocate(EVENT_BYTES, 8);
            event.set(ValueLayout.JAVA_INT, 0, mask);
            event.set(DATA, DATA_OFFSET, data);
            long added =
                    SystemCall.once(Nr.EPOLL_CTL, fd.value(), EPOLL_CTL_ADD, descriptor, event.address(), 0, 0);
            if (added < 0) {
                throw new ErrnoException("epoll_ctl", (int) -added, "descriptor " + descriptor);
            }
        }
    }

    /**
     * Waits for events.
     *
     * @param timeoutMs milliseconds; 0 does not wait, -1 waits for ever
     * @return the number of events, 0 when the time was over or a signal came, or -errno
     */
    public int waitFor(int timeoutMs) {
        long ready = SystemCall.repeatable(
                Nr.EPOLL_PWAIT, fd.value(), events.address(), MAX_EVENTS, timeoutMs, 0, 0);
        return ready == -Errno.EINTR ? 0 : (int) ready;
    }

    /** Returns the data of an event of the last wait. */
    public long data(int index) {
        return events.get(DATA, (long) index * EVENT_BYTES + DATA_OFFSET);
    }

    /** Returns what an event of the last wait tells. */
    public int events(int index) {
        return events.get(ValueLayout.JAVA_INT_UNALIGNED, (long) index * EVENT_BYTES);
    }

    @Override
    public void close() {
        fd.close();
        arena.close();
    }
}
