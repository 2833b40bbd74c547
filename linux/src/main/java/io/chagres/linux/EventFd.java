package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A flag that one thread raises and another waits for with {@link Epoll}, see eventfd(2). Raising is safe for any
 * thread, also during and after closing; draining belongs to one thread at a time. Neither allocates.
 */
public final class EventFd implements AutoCloseable {
    private static final int EFD_NONBLOCK = Fd.O_NONBLOCK;
    private static final int EFD_CLOEXEC = Fd.O_CLOEXEC;

    private final Fd fd;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment one = arena.allocate(Long.BYTES, Long.BYTES);
    private final MemorySegment count = arena.allocate(Long.BYTES, Long.BYTES);

    private EventFd(Fd fd) {
        this.fd = fd;
        one.set(ValueLayout.JAVA_LONG, 0, 1);
    }

    /**
     * Makes a flag that is down.
     *
     * @return the flag, owned by the caller
     * @throws ErrnoException EMFILE at the limit of open files
     */
    public static EventFd open() throws ErrnoException {
        int value = EpollCalls.eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (value < 0) {
            throw new ErrnoException("eventfd", -value, "");
        }
        return new EventFd(Fd.ofValue(value));
    }

    /** Raises the flag: {@link #fd()} is readable until it is drained. Does nothing once closed. */
    public synchronized void signal() {
        // Exclusive with close: a descriptor number that is free is soon another file's, which must not get these
        // bytes.
        if (fd.isOpen()) {
            EpollCalls.addToEventFd(fd.value(), one);
        }
    }

    /**
     * Lowers the flag.
     *
     * @return true if it was raised
     */
    public boolean drain() {
        long n = fd.read(count, 0, Long.BYTES);
        assert n == Long.BYTES || n == -Errno.EAGAIN : n;
        return n == Long.BYTES;
    }

    /**
     * Returns the descriptor, for epoll.
     *
     * @return readable while the flag is raised; owned by this object
     */
    public int fd() {
        return fd.value();
    }

    /** Closes the descriptor and frees the memory. Idempotent. */
    @Override
    public synchronized void close() {
        fd.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
