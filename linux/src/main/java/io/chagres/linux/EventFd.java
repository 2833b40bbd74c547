package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Owns an event counter ({@code eventfd(2)}) that wakes a thread waiting in epoll. Signalling is safe for any thread. */
public final class EventFd implements AutoCloseable {
    private static final int EFD_NONBLOCK_CLOEXEC = 04000 | 02000000;

    private final Fd fd;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment one = arena.allocate(8, 8);
    private final MemorySegment count = arena.allocate(8, 8);

    private EventFd(Fd fd) {
        this.fd = fd;
        one.set(ValueLayout.JAVA_LONG, 0, 1);
    }

    /** Opens a counter at zero. */
    public static EventFd open() throws ErrnoException {
        long fd = SystemCall.once(Nr.EVENTFD2, 0, EFD_NONBLOCK_CLOEXEC, 0, 0, 0, 0);
        if (fd < 0) {
            throw new ErrnoException("eventfd2", (int) -fd, "");
        }
        return new EventFd(Fd.ofValue((int) fd));
    }

    /** Adds one to the counter, which makes the descriptor readable; does nothing after close. */
    public synchronized void signal() {
        if (fd.isOpen()) {
            fd.write(one, 0, 8);
        }
    }

    /** Sets the counter to zero. */
    public void drain() {
        fd.read(count, 0, 8);
    }

    /** Returns the descriptor's number, for epoll. */
    public int fd() {
        return fd.value();
    }

    @Override
    public synchronized void close() {
        fd.close();
        arena.close();
    }
}
