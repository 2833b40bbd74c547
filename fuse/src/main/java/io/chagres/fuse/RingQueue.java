package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.RingEntry;
import io.chagres.linux.CompletionQueue;
import io.chagres.linux.CpuAffinity;
import io.chagres.linux.Epoll;
import io.chagres.linux.EventFd;
import io.chagres.linux.IoUring;
import io.chagres.linux.Mapping;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one processor: an io_uring whose entries the kernel fills with requests and gets back with answers.
 *
 * <p>Confined to the thread that runs it, but for {@link #stop}, {@link #closeWhenIdle} and the exchanges, which other
 * threads may answer: these wake the thread, which alone may commit. The completions of the kernel are worked on when
 * the thread enters the kernel in whatever way, so that a handler that waits does not hold up the end of the mount.
 */
final class RingQueue implements Runnable {
    /**
     * How the ring is made: the command data of FUSE needs long entries. Without DEFER_TASKRUN: what is deferred waits
     * for this thread, and so would callers for a handler that hangs, even at the end of the mount.
     */
    static final int SETUP =
            IoUring.IORING_SETUP_SQE128 | IoUring.IORING_SETUP_SUBMIT_ALL | IoUring.IORING_SETUP_SINGLE_ISSUER;

    private static final Logger LOG = System.getLogger("io.chagres.fuse");

    /** Beside the numbers of entries: somebody answered from another thread, or all is over. */
    private static final long WAKE = -1;

    private static final int IOVEC = 16;

    /** A header, and the iovecs it is registered with. */
    private static final int HEADER_STRIDE = RingEntry.BYTES + RingEntry.REGISTER_IOVECS * IOVEC;

    private static final int PAGE = 4096;

    private final Session session;
    private final int device;
    private final int processor;
    private final Consumer<ErrnoException> failed;
    private final Runnable atEnd;
    private final long payloadBytes;
    private final long headersBytes;
    private final Mapping memory;
    private final EventFd wake;
    private final @Nullable RingExchange[] exchanges;
    private final CompletableFuture<Integer> started = new CompletableFuture<>();
    private final AtomicReference<@Nullable RingExchange> answered = new AtomicReference<>();

    private volatile boolean stopping;
    private volatile boolean closing;

    /** Entries that wait for a request, or whose answer is about to be committed. */
    private int inKernel;

    /** Entries whose request is deferred, or handled by another thread. */
    private int outside;

    /** Whether submissions wait for the next call. */
    private boolean unsubmitted;

    /** The error of an entry that the kernel refused; 0 for none. */
    private int refusal;

    /** Whether the kernel may still write into the memory after all ended. */
    private boolean lost;

    /**
     * Makes a queue that does nothing yet.
     *
     * @param device the descriptor of an initialised connection
     * @param processor its number, and that of the queue
     * @param entries how many requests may be in progress
     * @param failed ends the connection, should this queue fail: callers on its processor would wait for ever
     * @param atEnd runs last
     */
    RingQueue(Session session, int device, int processor, int entries, Consumer<ErrnoException> failed, Runnable atEnd)
            throws ErrnoException {
        this.session = session;
        this.device = device;
        this.processor = processor;
        this.failed = failed;
        this.atEnd = atEnd;
        exchanges = new @Nullable RingExchange[entries];
        payloadBytes = Math.max(RingEntry.MIN_PAYLOAD, session.options.maxWrite());
        headersBytes = (long) entries * HEADER_STRIDE + PAGE - 1 & -PAGE;
        wake = EventFd.open();
        try {
            // The kernel uses the entry that was free last first, so most of this is never touched.
            memory = Mapping.anonymous(headersBytes + entries * payloadBytes);
        } catch (ErrnoException e) {
            wake.close();
            throw e;
        }
    }

    /** Waits until requests can come. Returns 0, or the error number that this queue cannot be for. */
    int awaitStarted() {
        return started.join();
    }

    /** Ends the thread as soon as the kernel has given back all entries, because the connection is over. */
    void stop() {
        stopping = true;
        wake.signal();
    }

    /** Frees the memory as soon as the last exchange is given back: an answer may still be built in it. */
    synchronized void closeWhenIdle() {
        closing = true;
        closeIfIdle();
    }

    /** Serves until the file system is unmounted. */
    @Override
    public void run() {
        IoUring ring = null;
        @Nullable ErrnoException failure = new ErrnoException("serve", Errno.EIO, "queue " + processor);
        try {
            int pinned = CpuAffinity.tryPin(processor);
            LOG.log(Level.DEBUG, () -> "queue " + processor + " is pinned: " + (pinned == 0));
            ring = IoUring.open(exchanges.length + 1, 0, SETUP);
            register(ring);
            serve(ring);
            failure = null;
        } catch (ErrnoException e) {
            failure = e;
        } finally {
            if (failure != null) {
                failed.accept(failure);
            }
            if (ring != null) {
                ring.close();
                lost = ring.inFlight() > 0;
            }
            started.complete(failure == null ? 0 : failure.errno());
            atEnd.run();
        }
    }

    /** Offers all entries to the kernel. It sends requests when all queues have done so. */
    private void register(IoUring ring) throws ErrnoException {
        MemorySegment all = memory.segment();
        for (int i = 0; i < exchanges.length; i++) {
            long at = (long) i * HEADER_STRIDE;
            long iovecs = at + RingEntry.BYTES;
            Abi.putLong(all, iovecs, all.address() + at);
            Abi.putLong(all, iovecs + 8, RingEntry.BYTES);
            Abi.putLong(all, iovecs + IOVEC, all.address() + payloadAt(i));
            Abi.putLong(all, iovecs + IOVEC + 8, payloadBytes);
            ring.next()
                    .uringCommand(device, RingEntry.REGISTER)
                    .memory(all.address() + iovecs, RingEntry.REGISTER_IOVECS)
                    .command(RingEntry.CMD_QID, processor)
                    .userData(i);
            inKernel++;
        }
        watch(ring);
        submit(ring, 0);
        takeCompletions(ring);
        if (refusal != 0) {
            throw new ErrnoException("FUSE_IO_URING_CMD_REGISTER", refusal, "queue " + processor);
        }
        started.complete(0);
    }

    private void serve(IoUring ring) throws ErrnoException {
        while (inKernel > 0 || (outside > 0 && !stopping)) {
            submit(ring, 1);
            takeCompletions(ring);
            for (RingExchange next = answered.getAndSet(null); next != null; next = next.next) {
                outside--;
                commit(ring, next);
            }
        }
    }

    /** Hands all that is due to the kernel, and waits for a number of completions. Memory that is short comes back. */
    private void submit(IoUring ring, int completions) throws ErrnoException {
        unsubmitted = false;
        int result = ring.submitAndWait(completions, -1);
        if (result < 0
                && result != -Errno.EAGAIN
                && result != -Errno.EBUSY
                && result != -Errno.ENOMEM
                && result != -Errno.EBADR) {
            throw new ErrnoException("io_uring_enter", -result, "queue " + processor);
        }
    }

    private void takeCompletions(IoUring ring) throws ErrnoException {
        CompletionQueue completions = ring.completions();
        while (completions.next()) {
            long entry = completions.userData();
            int result = completions.result();
            if (entry == WAKE) {
                wake.drain();
                if ((completions.flags() & CompletionQueue.IORING_CQE_F_MORE) == 0) {
                    watch(ring);
                }
            } else if (result < 0) {
                inKernel--;
                ended(result);
            } else {
                inKernel--;
                arrived(ring, (int) entry);
            }
        }
    }

    private void arrived(IoUring ring, int entry) throws ErrnoException {
        if (unsubmitted) {
            // An answer does not wait for the handler of another request.
            submit(ring, 0);
        }
        RingExchange exchange = exchange(entry);
        exchange.receive();
        if (session.serve(exchange)) {
            commit(ring, exchange);
        } else {
            outside++;
        }
    }

    /** Sends an answer, and offers the entry for the next request. */
    private void commit(IoUring ring, RingExchange exchange) {
        ring.next()
                .uringCommand(device, RingEntry.COMMIT_AND_FETCH)
                .command(RingEntry.CMD_COMMIT_ID, exchange.writeAnswer())
                .command(RingEntry.CMD_QID, processor)
                .userData(exchange.entry);
        inKernel++;
        unsubmitted = true;
    }

    /** The kernel has no more requests for an entry. */
    private void ended(int result) {
        if (!started.isDone()) {
            refusal = -result;
        } else if (result != -Errno.ENOTCONN && result != -Errno.ECONNABORTED) {
            LOG.log(
                    Level.ERROR,
                    "the kernel refused an answer over io_uring (" + Errno.message(-result)
                            + "); fewer requests can be in progress from now on");
        }
    }

    private void watch(IoUring ring) {
        ring.next().pollAdd(wake.fd(), Epoll.EPOLLIN, true).userData(WAKE);
    }

    private RingExchange exchange(int entry) {
        RingExchange exchange = exchanges[entry];
        if (exchange == null) {
            MemorySegment all = memory.segment();
            MemorySegment payload = all.asSlice(payloadAt(entry), payloadBytes);
            exchange = new RingExchange(session, all, (long) entry * HEADER_STRIDE, payload, entry, this::release);
            exchanges[entry] = exchange;
            session.add(exchange);
        }
        return exchange;
    }

    private long payloadAt(int entry) {
        return headersBytes + entry * payloadBytes;
    }

    /** Takes an exchange back from another thread. */
    private void release(RingExchange exchange) {
        RingExchange before;
        do {
            before = answered.get();
            exchange.next = before;
        } while (!answered.compareAndSet(before, exchange));
        if (before == null) {
            wake.signal();
        }
        if (closing) {
            closeIfIdle();
        }
    }

    private synchronized void closeIfIdle() {
        for (RingExchange next = answered.getAndSet(null); next != null; next = next.next) {
            outside--;
        }
        if (outside == 0 && !lost) {
            memory.close();
            wake.close();
        }
    }
}
