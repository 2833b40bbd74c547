package io.chagres.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * A cursor over the results of an {@link IoUring}, read from the memory shared with the kernel. Confined to the thread
 * of its ring; allocates nothing. See struct io_uring_cqe.
 */
public final class CompletionQueue {
    /** More completions of the same submission follow. */
    public static final int IORING_CQE_F_MORE = 2;

    private static final int EXTRA_BYTES = 16;

    private final MemorySegment ring;
    private final IoUringParams params;
    private final int mask;

    private int head;
    private int tail;
    private long current;
    private boolean onEntry;
    private long finished;

    CompletionQueue(MemorySegment ring, IoUringParams params) {
        this.ring = ring;
        this.params = params;
        this.mask = params.cqEntries() - 1;
    }

    /**
     * Gives the completion that the cursor stands on back to the kernel and goes to the next that is there already.
     *
     * @return false if there is none; then a later call may find one
     * @throws IllegalStateException if the ring is closed
     */
    public boolean next() {
        if (onEntry) {
            head++;
            RingMemory.release(ring, params.cqHead(), head);
            onEntry = false;
        }
        if (head == tail) {
            tail = RingMemory.acquire(ring, params.cqTail());
            if (head == tail) {
                return false;
            }
        }
        current = params.cqes() + (long) (head & mask) * params.completionBytes();
        onEntry = true;
        if ((flags() & IORING_CQE_F_MORE) == 0) {
            finished++;
        }
        return true;
    }

    /**
     * Returns what {@link SubmissionEntry#userData} was given.
     *
     * @return any value
     */
    public long userData() {
        return ring.get(ValueLayout.JAVA_LONG, current());
    }

    /**
     * Returns the result of the operation.
     *
     * @return what the system call of that name returns, or {@code -errno}
     */
    public int result() {
        return ring.get(ValueLayout.JAVA_INT, current() + 8);
    }

    /**
     * Returns more about this completion.
     *
     * @return {@code IORING_CQE_F_} constants
     */
    public int flags() {
        return ring.get(ValueLayout.JAVA_INT, current() + 12);
    }

    /**
     * Returns the second half of a completion of a ring with {@link IoUring#IORING_SETUP_CQE32}.
     *
     * @param offset 0 or 8
     * @return what the operation put there
     * @throws IllegalStateException if the ring has no such halves
     */
    public long extra(int offset) {
        if (!params.hasLargeCompletions()) {
            throw new IllegalStateException("the ring was not made with IORING_SETUP_CQE32");
        }
        Objects.checkFromIndexSize(offset, Long.BYTES, EXTRA_BYTES);
        return ring.get(ValueLayout.JAVA_LONG, current() + 16 + offset);
    }

    /**
     * Counts the completions that the kernel lost because it had no memory to hold them back. Others wait in the
     * kernel while this queue is full and come with a later submission.
     *
     * @return the number since the ring was made, modulo 2^32
     */
    public int lost() {
        return RingMemory.acquire(ring, params.cqOverflow());
    }

    /** Counts the submissions whose last completion was looked at. */
    long finished() {
        return finished;
    }

    private long current() {
        if (!onEntry) {
            throw new IllegalStateException("next() did not find a completion");
        }
        return current;
    }
}
