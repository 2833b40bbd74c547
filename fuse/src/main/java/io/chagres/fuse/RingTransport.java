package io.chagres.fuse;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.CpuAffinity;
import io.chagres.linux.IoUring;
import io.chagres.linux.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * FUSE over io_uring, see filesystems/fuse/fuse-io-uring in the kernel's documentation: a queue for each processor that
 * can ever be there, because a request waits for the queue of the processor its caller runs on. Requests without a
 * waiting caller, forgets and interrupts, still come through the device. Safe for any thread.
 */
final class RingTransport {
    /** Extended attributes and their lists are so long at most, and come and go in one piece. */
    private static final int XATTR_SIZE_MAX = 1 << 16;

    private static final String PARAMETER = "/sys/module/fuse/parameters/enable_uring";

    private final List<RingQueue> queues = new ArrayList<>();

    private RingTransport() {}

    /** Returns why a mount cannot be served this way here and now; empty if nothing speaks against it. */
    static String obstacle(FuseOptions options) {
        if (options.transport() == FuseTransport.CLASSIC) {
            return "the other transport is wanted";
        }
        if (options.threads() == 1) {
            return "one thread is wanted, and it has one for each processor";
        }
        if (options.maxWrite() < XATTR_SIZE_MAX) {
            return "maxWrite is less than the longest extended attribute, " + XATTR_SIZE_MAX + " bytes";
        }
        String enabled = Machine.read(PARAMETER);
        if (!enabled.equals("Y")) {
            return enabled.isEmpty()
                    ? "the kernel does not have it, as Linux 6.14 and later can"
                    : "it is off, and writing Y to " + PARAMETER + " turns it on";
        }
        if (CpuAffinity.possible() == 0) {
            return "the kernel does not tell how many processors there are";
        }
        try {
            IoUring.open(1, 0, RingQueue.SETUP).close();
            return "";
        } catch (ErrnoException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * Makes the queues of a connection that agreed on them.
     *
     * @param device its descriptor
     * @param failed ends the connection, which one queue cannot serve
     * @param atEnd runs at the end of each queue
     */
    static RingTransport open(Session session, int device, Consumer<ErrnoException> failed, Runnable atEnd)
            throws ErrnoException {
        RingTransport transport = new RingTransport();
        int entries = session.options.ringEntries();
        int processors = CpuAffinity.possible();
        try {
            for (int i = 0; i < processors; i++) {
                transport.queues.add(new RingQueue(session, device, i, entries, failed, atEnd));
            }
            return transport;
        } catch (ErrnoException e) {
            transport.closeWhenIdle();
            throw e;
        }
    }

    /** Returns the queues, by processor. Each wants a thread of its own. */
    List<RingQueue> queues() {
        return queues;
    }

    /** Waits until all queues are known to the kernel. Returns 0, or the error number of one that is not. */
    int awaitStarted() {
        int errno = 0;
        for (RingQueue queue : queues) {
            int result = queue.awaitStarted();
            errno = errno == 0 ? result : errno;
        }
        return errno;
    }

    /** Ends the threads, because the connection is over. */
    void stop() {
        queues.forEach(RingQueue::stop);
    }

    /** Frees the memory as soon as the exchanges are given back. All threads have ended. */
    void closeWhenIdle() {
        queues.forEach(RingQueue::closeWhenIdle);
    }
}
