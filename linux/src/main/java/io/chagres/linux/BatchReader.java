package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads from many files with one system call: worth it for many small reads, and for reads that wait for a disk, which
 * then wait together. Where io_uring is missing or forbidden it reads one after the other, with the same results.
 *
 * <p>Confined to the platform thread that opened it. Adding, reading and results allocate nothing,
 * see {@link IoUring}.
 */
public final class BatchReader implements AutoCloseable {
    private final @Nullable IoUring ring;
    private final int[] fds;
    private final MemorySegment[] buffers;
    private final long[] offsets;
    private final int[] lengths;
    private final long[] positions;
    private final int[] results;
    private int count;
    private int done;

    private BatchReader(@Nullable IoUring ring, int capacity) {
        this.ring = ring;
        fds = new int[capacity];
        buffers = new MemorySegment[capacity];
        offsets = new long[capacity];
        lengths = new int[capacity];
        positions = new long[capacity];
        results = new int[capacity];
        Arrays.fill(buffers, MemorySegment.NULL);
    }

    /**
     * Makes an empty batch, with a ring if there can be one.
     *
     * @param capacity reads that fit, 1 to 32768
     * @return the reader, owned by the caller
     */
    public static BatchReader open(int capacity) {
        Objects.checkIndex(capacity - 1, 32768);
        try {
            return new BatchReader(IoUring.open(capacity), capacity);
        } catch (ErrnoException e) {
            return sequential(capacity);
        }
    }

    /** Makes one without a ring. */
    static BatchReader sequential(int capacity) {
        return new BatchReader(null, capacity);
    }

    /**
     * Tells whether one system call serves a batch.
     *
     * @return false if the reads are made one after the other
     */
    public boolean isBatched() {
        return ring != null;
    }

    /**
     * Adds a read to the batch.
     *
     * @param fd of a regular file or block device, open for reading
     * @param buffer native memory, kept until {@link #read} returned and {@link #clear} was called
     * @param offset in the buffer, bytes
     * @param length how many bytes at most
     * @param position in the file, bytes from its start, 0 or more
     * @return its index for {@link #result}, or -1 if the batch is full
     */
    public int add(int fd, MemorySegment buffer, long offset, int length, long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position " + position);
        }
        if (count == fds.length) {
            return -1;
        }
        Segments.borrowed(buffer, Segments.writableAddress(buffer, offset, length));
        fds[count] = fd;
        buffers[count] = buffer;
        offsets[count] = offset;
        lengths[count] = length;
        positions[count] = position;
        return count++;
    }

    /** Makes all reads added since the last call and waits for all. */
    public void read() {
        int first = done;
        done = count;
        if (ring == null || !batched(ring, first)) {
            oneByOne(first);
        }
    }

    /**
     * Returns what a read gave, after {@link #read}.
     *
     * @param index of the read
     * @return the bytes read, which may be less than asked for, 0 at or after the end, or {@code -errno}; as pread(2)
     */
    public int result(int index) {
        return results[Objects.checkIndex(index, done)];
    }

    /** Empties the batch. */
    public void clear() {
        Arrays.fill(buffers, 0, count, MemorySegment.NULL);
        count = 0;
        done = 0;
    }

    /** Closes the ring. Idempotent. */
    @Override
    public void close() {
        if (ring != null) {
            ring.close();
        }
    }

    /** Returns false if the kernel did not take them all; then none is in flight. */
    private boolean batched(IoUring uring, int first) {
        for (int i = first; i < count; i++) {
            uring.next()
                    .read(fds[i], buffers[i], offsets[i], lengths[i], positions[i])
                    .userData(i);
        }
        int missing = count - first;
        while (missing > 0) {
            int submitted = uring.submitAndWait(missing, -1);
            if (submitted < 0 && uring.inFlight() == 0) {
                uring.retract();
                return false;
            }
            CompletionQueue completions = uring.completions();
            while (completions.next()) {
                results[(int) completions.userData()] = completions.result();
                missing--;
            }
        }
        return true;
    }

    private void oneByOne(int first) {
        for (int i = first; i < count; i++) {
            results[i] = (int) Fd.pread(fds[i], buffers[i], offsets[i], lengths[i], positions[i]);
        }
    }
}
