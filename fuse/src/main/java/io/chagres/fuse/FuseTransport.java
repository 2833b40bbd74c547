package io.chagres.fuse;

/** How requests come from the kernel and answers go back. */
public enum FuseTransport {
    /**
     * {@link #IO_URING} where that is possible, else {@link #CLASSIC}; the log says why, at DEBUG. With one
     * thread it is the classic one, because io_uring has a thread for each processor.
     */
    AUTO,

    /** Each request is read from {@code /dev/fuse} and each answer written to it, see fuse(4). */
    CLASSIC,

    /**
     * FUSE over io_uring: each processor has a queue of its own, with a thread that runs there and waits for the next
     * request by the call that sends the answer, so that a caller is served by the processor it runs on. An answer goes
     * out when its handler has returned. Needs Linux 6.14 with the parameter {@code enable_uring} of its module fuse.
     */
    IO_URING
}
