package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Waits for any of several descriptors, level-triggered unless asked otherwise; see epoll(7). Waiting and its results
 * belong to one thread at a time; adding and removing are safe for any thread. Waiting allocates nothing.
 */
public final class Epoll implements AutoCloseable {
    /** Readable. */
    public static final int EPOLLIN = 0x1;

    /** Something exceptional, which is for each kind of file to say. */
    public static final int EPOLLPRI = 0x2;

    /** Writable. */
    public static final int EPOLLOUT = 0x4;

    /** In results: an error; always reported. */
    public static final int EPOLLERR = 0x8;

    /** In results: the other end is closed; always reported. */
    public static final int EPOLLHUP = 0x10;

    /** Report changes only, not states. */
    public static final int EPOLLET = 1 << 31;

    private static final int MAX_EVENTS = 64;

    /** struct epoll_event is packed on x86-64 only, see {@code include/uapi/linux/eventpoll.h}. */
    private static final int EVENT_BYTES = Architecture.IS_AARCH64 ? 16 : 12;

    private static final int DATA = Architecture.IS_AARCH64 ? 8 : 4;
    private static final int EPOLL_CLOEXEC = Fd.O_CLOEXEC;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Fd fd;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment events = arena.allocate((long) MAX_EVENTS * EVENT_BYTES, 8);

    private Epoll(Fd fd) {
        this.fd = fd;
    }

    /**
     * Makes an instance that waits for nothing yet.
     *
     * @return the instance, owned by the caller
     * @throws ErrnoException EMFILE at the limit of open files
     */
    public static Epoll open() throws ErrnoException {
        int value = EpollCalls.create1(EPOLL_CLOEXEC);
        if (value < 0) {
            throw new ErrnoException("epoll_create1", -value, "");
        }
        return new Epoll(Fd.ofValue(value));
    }

    /**
     * Waits for a descriptor from now on, until it is removed or closed.
     *
     * @param target the descriptor
     * @param interest {@code EPOLL} constants
     * @param data what {@link #data} returns for it
     * @throws ErrnoException EEXIST if it was added before, EPERM if it cannot be waited for
     */
    public void add(int target, int interest, long data) throws ErrnoException {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment event = call.allocate(EVENT_BYTES, 8);
            event.set(ValueLayout.JAVA_INT, 0, interest);
            event.set(LONG, DATA, data);
            check("epoll_ctl", EpollCalls.ctl(fd.value(), EPOLL_CTL_ADD, target, event), target);
        }
    }

    /**
     * Stops waiting for a descriptor.
     *
     * @param target a descriptor that was added
     * @throws ErrnoException ENOENT if it was not
     */
    public void remove(int target) throws ErrnoException {
        check("epoll_ctl", EpollCalls.ctl(fd.value(), EPOLL_CTL_DEL, target, MemorySegment.NULL), target);
    }

    /**
     * Waits until a descriptor is ready, the time is over, or a signal arrives.
     *
     * @param timeoutMs how long at most, milliseconds; 0 returns at once, -1 waits without end
     * @return how many results there are, 0 to 64, or {@code -errno}
     */
    public int waitFor(int timeoutMs) {
        return EpollCalls.await(fd.value(), events, MAX_EVENTS, timeoutMs);
    }

    /**
     * Returns which descriptor a result of the last wait is about.
     *
     * @param index 0 to the number of results - 1
     * @return the key given to {@link #add}
     */
    public long data(int index) {
        return events.get(LONG, (long) index * EVENT_BYTES + DATA);
    }

    /**
     * Returns what a descriptor is ready for.
     *
     * @param index 0 to the number of results - 1
     * @return {@code EPOLL} constants
     */
    public int events(int index) {
        return events.get(ValueLayout.JAVA_INT, (long) index * EVENT_BYTES);
    }

    /** Closes the descriptor and frees the buffer. Idempotent. */
    @Override
    public void close() {
        fd.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private static void check(String call, int result, int target) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(call, -result, "descriptor " + target);
        }
    }
}
