package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Many operations with one system call: submissions are written into memory shared with the kernel, completions are
 * read from it; see io_uring(7).
 *
 * <p>{@snippet :
 * try (IoUring ring = IoUring.open(64)) {
 *     ring.next().read(fd.value(), buffer, 0, 4096, 0).userData(1);
 *     ring.submitAndWait(1, -1);
 *     while (ring.completions().next()) {
 *         use(ring.completions().userData(), ring.completions().result());
 *     }
 * }
 * }
 *
 * <p>Confined to the platform thread that opened it: on a virtual thread, which changes its carrier, the kernel
 * answers -EEXIST. Submitting and completing allocate nothing, with {@link
 * io.chagres.foreign.call.Backend#LIBC} 40 bytes a system call. Needs Linux 5.11 and no setting that forbids it, see
 * {@link #isSupported}.
 */
public final class IoUring implements AutoCloseable {
    /** Entries of 128 bytes, with 80 bytes of command data. */
    public static final int IORING_SETUP_SQE128 = IoUringParams.SETUP_SQE128;

    /** Completions of 32 bytes. */
    public static final int IORING_SETUP_CQE32 = IoUringParams.SETUP_CQE32;

    /** The thread that opened it alone submits; without it any one at a time. */
    public static final int IORING_SETUP_SINGLE_ISSUER = 1 << 12;

    /** Completions are worked on only while the ring is entered; needs {@link #IORING_SETUP_SINGLE_ISSUER}. */
    public static final int IORING_SETUP_DEFER_TASKRUN = 1 << 13;

    /** A submission that is wrong does not stop those after it. */
    public static final int IORING_SETUP_SUBMIT_ALL = 1 << 7;

    /** Relative paths begin in the working directory. */
    public static final int AT_FDCWD = StatusCalls.AT_FDCWD;

    private static final int SETUP_CQSIZE = 1 << 3;

    /** Others change who reads and writes the shared memory when. */
    private static final int KNOWN_SETUP = IORING_SETUP_SQE128
            | IORING_SETUP_CQE32
            | IORING_SETUP_SINGLE_ISSUER
            | IORING_SETUP_DEFER_TASKRUN
            | IORING_SETUP_SUBMIT_ALL;

    /** The flags to try unless the caller gives others: best first, since Linux 6.1, 5.18 and always. */
    private static final int[] SETUPS = {
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL, IORING_SETUP_SUBMIT_ALL, 0
    };

    private static final long SQES_POSITION = 0x1000_0000L;

    private static final int CLOSE_ROUNDS = 100;
    private static final long CLOSE_ROUND_NS = 10_000_000L;

    private final Fd fd;
    private final Mapping ring;
    private final Mapping entries;
    private final Arena arena = Arena.ofShared();
    private final WaitArgument wait = new WaitArgument(arena);
    private final SubmissionQueue submissions;
    private final CompletionQueue completions;
    private long submitted;

    private IoUring(Fd fd, Mapping ring, Mapping entries, IoUringParams params) {
        this.fd = fd;
        this.ring = ring;
        this.entries = entries;
        submissions = new SubmissionQueue(ring.segment(), entries.segment(), params);
        completions = new CompletionQueue(ring.segment(), params);
    }

    /**
     * Makes a ring in the best way that the kernel offers, for the thread that calls.
     *
     * @param entries submissions that fit, 1 to 32768, rounded up to a power of two; twice as many completions fit
     * @return the ring, owned by the caller
     * @throws ErrnoException EPERM or ENOSYS where it is forbidden or missing, EINVAL for a wrong number of entries,
     *     EMFILE at the limit of open files, ENOMEM where memory is short (before Linux 5.12: of RLIMIT_MEMLOCK),
     *     EOPNOTSUPP before Linux 5.11
     */
    public static IoUring open(int entries) throws ErrnoException {
        for (int i = 0; ; i++) {
            try {
                return open(entries, 0, SETUPS[i]);
            } catch (ErrnoException e) {
                if (e.errno() != Errno.EINVAL || i == SETUPS.length - 1) {
                    throw e;
                }
            }
        }
    }

    /**
     * Makes a ring with certain properties.
     *
     * @param entries submissions that fit, 1 to 32768, rounded up to a power of two
     * @param completions that fit, at least as many, rounded up to a power of two; 0 for twice as many
     * @param setupFlags {@code IORING_SETUP_} constants of this class, exactly
     * @return the ring, owned by the caller
     * @throws ErrnoException as {@link #open(int)}; EINVAL also for flags that the kernel does not know
     * @throws IllegalArgumentException for other flags
     */
    public static IoUring open(int entries, int completions, int setupFlags) throws ErrnoException {
        if ((setupFlags & ~KNOWN_SETUP) != 0) {
            throw new IllegalArgumentException("setup flags 0x" + Integer.toHexString(setupFlags));
        }
        try (Arena call = Arena.ofConfined()) {
            MemorySegment params = call.allocate(IoUringParams.BYTES, 8);
            IoUringParams.request(params, completions, setupFlags | (completions == 0 ? 0 : SETUP_CQSIZE));
            int value = IoUringCalls.setup(entries, params);
            if (value < 0) {
                throw new ErrnoException("io_uring_setup", -value, reason(-value, entries, completions));
            }
            return map(Fd.ofValue(value), params);
        }
    }

    /**
     * Tells whether {@link #open(int)} works here and now: the kernel may be too old, or
     * {@code kernel.io_uring_disabled} or a filter of system calls, as containers have one, may forbid it.
     *
     * @return true if so
     */
    public static boolean isSupported() {
        try (IoUring ring = open(1)) {
            return ring.fd.isOpen();
        } catch (ErrnoException e) {
            return false;
        }
    }

    /**
     * Takes the next entry; what is written there is submitted by the next {@link #submit}. Not touched, it does
     * nothing.
     *
     * @return the entry, cleared, or null if all are taken: then submit first
     * @throws IllegalStateException if the ring is closed
     */
    public @Nullable SubmissionEntry tryNext() {
        return submissions.next();
    }

    /**
     * Takes the next entry like {@link #tryNext} where it is known that there is one.
     *
     * @return the entry, cleared
     * @throws IllegalStateException if all are taken, or if the ring is closed
     */
    public SubmissionEntry next() {
        SubmissionEntry entry = submissions.next();
        if (entry == null) {
            throw new IllegalStateException("the submission queue is full");
        }
        return entry;
    }

    /**
     * Submits all entries taken, and lets the kernel deliver completions that it holds back, without waiting.
     *
     * @return as {@link #submitAndWait}
     */
    public int submit() {
        return submitAndWait(0, 0);
    }

    /**
     * Submits all entries taken, then waits until the given number of completions are there that {@link
     * CompletionQueue#next} has not taken. May return before, so look at what is there.
     *
     * @param completions how many to wait for, 0 or more
     * @param timeoutNs how long at most, nanoseconds; -1 without end
     * @return how many were submitted: those that were not are submitted by the next call; or {@code -errno}, and then
     *     none: -EAGAIN and -ENOMEM where memory is short, -EBUSY of old kernels while too many completions wait to be
     *     taken, -EEXIST on a thread that is not the issuer, -EBADR once after completions were lost, -EBADF if the
     *     ring is closed
     */
    public int submitAndWait(int completions, long timeoutNs) {
        if (!fd.isOpen()) {
            return -Errno.EBADF;
        }
        submissions.publish();
        int before = submissions.taken();
        int result = IoUringCalls.enter(fd.value(), submissions.pending(), completions, wait.of(timeoutNs));
        submitted += submissions.taken() - before;
        return result;
    }

    /** Takes back all entries that were taken and not submitted. */
    public void retract() {
        submissions.retract();
    }

    /**
     * Returns the completions.
     *
     * @return a cursor, the same each time, valid until this ring closes
     */
    public CompletionQueue completions() {
        return completions;
    }

    /**
     * Counts the operations that were submitted and whose last completion was not taken yet: these may use the memory
     * they were given. Also after closing.
     *
     * @return 0 or more
     */
    public long inFlight() {
        return submitted - completions.finished();
    }

    /**
     * Returns the descriptor, for epoll.
     *
     * @return readable when there are completions; owned by this ring; -1 if it is closed
     */
    public int fd() {
        return fd.value();
    }

    /**
     * Cancels what is in flight, waits until it has ended, for a second at most, closes the descriptor and unmaps the
     * memory. Entries that were not submitted are dropped. Idempotent.
     *
     * <p>Something that cannot be cancelled, a command to a driver or a read from a disk that does not answer, may
     * continue: if {@link #inFlight} is not 0 after this, its memory must not be freed. Call it on the thread that
     * opened the ring; another cannot cancel and wait, and memory of operations in flight is then not safe to free.
     *
     * @throws IllegalStateException if another thread is inside {@link #submitAndWait}: the ring stays open
     */
    @Override
    public void close() {
        if (!fd.isOpen()) {
            return;
        }
        submissions.retract();
        settle();
        arena.close();
        fd.close();
        ring.close();
        entries.close();
    }

    private void settle() {
        for (int i = 0; i < CLOSE_ROUNDS && inFlight() > 0; i++) {
            // Each round anew: the kernel misses what it is just handing to a worker thread.
            next().cancel(0, SubmissionEntry.IORING_ASYNC_CANCEL_ANY | SubmissionEntry.IORING_ASYNC_CANCEL_ALL);
            if (submitAndWait(2, CLOSE_ROUND_NS) < 0) {
                return;
            }
            boolean there;
            do {
                there = completions.next();
            } while (there);
        }
    }

    private static IoUring map(Fd fd, MemorySegment answer) throws ErrnoException {
        Mapping ring = null;
        try {
            IoUringParams params = IoUringParams.answer(answer);
            ring = Mapping.shared(fd, 0, params.ringBytes());
            Mapping entries = Mapping.shared(fd, SQES_POSITION, (long) params.sqEntries() * params.entryBytes());
            return new IoUring(fd, ring, entries, params);
        } catch (ErrnoException e) {
            if (ring != null) {
                ring.close();
            }
            fd.close();
            throw e;
        }
    }

    private static String reason(int errno, int entries, int completions) {
        return switch (errno) {
            case Errno.EPERM -> "(forbidden by kernel.io_uring_disabled or by a filter of system calls)";
            case Errno.ENOSYS -> "(the kernel has none, or a filter of system calls hides it)";
            default -> entries + " entries, " + completions + " completions";
        };
    }
}
