package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The answer of io_uring_setup(2): sizes, and where things are in the mapped memory; struct io_uring_params in {@code
 * include/uapi/linux/io_uring.h}. Immutable.
 *
 * @param sqEntries submissions that fit
 * @param cqEntries completions that fit
 * @param flags {@code IORING_SETUP_} constants in effect
 * @param sqHead offset of the counter of submissions taken by the kernel
 * @param sqTail offset of the counter of submissions made
 * @param sqArray offset of the indirection table
 * @param cqHead offset of the counter of completions taken by us
 * @param cqTail offset of the counter of completions made
 * @param cqOverflow offset of the counter of completions lost
 * @param cqes offset of the completions
 */
record IoUringParams(
        int sqEntries,
        int cqEntries,
        int flags,
        int sqHead,
        int sqTail,
        int sqArray,
        int cqHead,
        int cqTail,
        int cqOverflow,
        int cqes) {
    static final int BYTES = 120;

    /** See {@link IoUring}, which names them for users. */
    static final int SETUP_SQE128 = 1 << 10;

    static final int SETUP_CQE32 = 1 << 11;

    private static final int CQ_ENTRIES = 4;
    private static final int FLAGS = 8;
    private static final int FEATURES = 20;

    private static final int FEAT_SINGLE_MMAP = 1;
    private static final int FEAT_NODROP = 2;
    private static final int FEAT_EXT_ARG = 1 << 8;
    private static final int NEEDED = FEAT_SINGLE_MMAP | FEAT_NODROP | FEAT_EXT_ARG;

    static void request(MemorySegment params, int completions, int flags) {
        params.fill((byte) 0);
        params.set(ValueLayout.JAVA_INT, CQ_ENTRIES, completions);
        params.set(ValueLayout.JAVA_INT, FLAGS, flags);
    }

    static IoUringParams answer(MemorySegment params) throws ErrnoException {
        if ((get(params, FEATURES) & NEEDED) != NEEDED) {
            throw new ErrnoException("io_uring_setup", Errno.EOPNOTSUPP, "(needs Linux 5.11 or later)");
        }
        return new IoUringParams(
                get(params, 0),
                get(params, CQ_ENTRIES),
                get(params, FLAGS),
                get(params, 40),
                get(params, 44),
                get(params, 64),
                get(params, 80),
                get(params, 84),
                get(params, 96),
                get(params, 100));
    }

    boolean hasLargeCompletions() {
        return (flags & SETUP_CQE32) != 0;
    }

    int entryBytes() {
        return (flags & SETUP_SQE128) != 0 ? 128 : 64;
    }

    int completionBytes() {
        return hasLargeCompletions() ? 32 : 16;
    }

    long ringBytes() {
        return Math.max(sqArray + (long) sqEntries * Integer.BYTES, cqes + (long) cqEntries * completionBytes());
    }

    private static int get(MemorySegment params, long offset) {
        return params.get(ValueLayout.JAVA_INT, offset);
    }
}
