package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.MemoryCompare;
import io.chagres.linux.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Reads files to hash and compare them, into memory of its own. Confined to one thread at a time.
 */
final class ContentReader implements AutoCloseable {
    /** Files up to this size are sampled whole. */
    static final int WHOLE_BYTES = 16 * 1024;

    private static final int BLOCK_BYTES = 4096;
    /** The most that is hashed at once. */
    static final int BUFFER_BYTES = 512 * 1024;

    private final DedupeTotals totals;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 64);
    private final MemorySegment other = arena.allocate(BUFFER_BYTES, 64);
    private final ByteBuffer view = buffer.asByteBuffer();
    private final ContentHash hash = new ContentHash();

    ContentReader(DedupeTotals totals) {
        this.totals = totals;
    }

    /** Says whether the sample of such a file is a hash of all of it. */
    static boolean isWhole(long size) {
        return size <= WHOLE_BYTES;
    }

    /** Lets the kernel begin to read the bytes that {@link #sample} will want. */
    static void announce(Fd fd, long size) {
        if (isWhole(size)) {
            fd.tryAdvise(0, size, Fd.POSIX_FADV_WILLNEED);
        } else {
            fd.tryAdvise(0, 0, Fd.POSIX_FADV_RANDOM);
            fd.tryAdvise(0, BLOCK_BYTES, Fd.POSIX_FADV_WILLNEED);
            fd.tryAdvise(middle(size), BLOCK_BYTES, Fd.POSIX_FADV_WILLNEED);
            fd.tryAdvise(last(size), BLOCK_BYTES, Fd.POSIX_FADV_WILLNEED);
        }
    }

    /**
     * Hashes a block at the beginning, in the middle and at the end, or all of a small file.
     *
     * @throws ErrnoException if a read fails
     */
    long sample(Fd fd, long size) throws ErrnoException {
        hash.reset();
        if (isWhole(size)) {
            add(fd, 0, (int) size);
        } else {
            add(fd, 0, BLOCK_BYTES);
            add(fd, middle(size), BLOCK_BYTES);
            add(fd, last(size), (int) (size - last(size)));
        }
        return hash.value();
    }

    /**
     * Hashes all of a file.
     *
     * @throws ErrnoException if a read fails
     */
    long hash(Fd fd, long size) throws ErrnoException {
        fd.tryAdvise(0, 0, Fd.POSIX_FADV_SEQUENTIAL);
        hash.reset();
        for (long position = 0; position < size; position += BUFFER_BYTES) {
            add(fd, position, (int) Math.min(BUFFER_BYTES, size - position));
        }
        return hash.value();
    }

    /**
     * Hashes a block of up to {@link #BUFFER_BYTES}.
     *
     * @return the hash, or 0 if all bytes are zero
     * @throws ErrnoException if the read fails, ESTALE if the file is shorter
     */
    long hashBlock(Fd fd, long position, int length) throws ErrnoException {
        long n = fd.preadFully(buffer, 0, length, position);
        totals.add(Count.READ_BYTES, n);
        if (n != length) {
            throw new ErrnoException("pread", Errno.ESTALE, "a file that was cut");
        }
        hash.reset();
        hash.add(view, 0, length);
        boolean begins = buffer.get(ValueLayout.JAVA_BYTE, 0) == 0;
        boolean isZero = begins && MemoryCompare.equal(buffer, 0, buffer, 1, length - 1);
        return isZero ? 0 : hash.value();
    }

    /**
     * Compares all bytes of two files.
     *
     * @return true if both have that size and the same bytes
     * @throws ErrnoException if a read fails
     */
    boolean equal(Fd a, Fd b, long size) throws ErrnoException {
        a.tryAdvise(0, 0, Fd.POSIX_FADV_SEQUENTIAL);
        b.tryAdvise(0, 0, Fd.POSIX_FADV_SEQUENTIAL);
        for (long position = 0; position < size; position += BUFFER_BYTES) {
            long length = Math.min(BUFFER_BYTES, size - position);
            long first = a.preadFully(buffer, 0, length, position);
            long second = b.preadFully(other, 0, length, position);
            totals.add(Count.READ_BYTES, first + second);
            if (first != length || second != length || !MemoryCompare.equal(buffer, 0, other, 0, length)) {
                return false;
            }
        }
        return true;
    }

    private void add(Fd fd, long position, int length) throws ErrnoException {
        long n = fd.preadFully(buffer, 0, length, position);
        totals.add(Count.READ_BYTES, n);
        hash.add(view, 0, (int) n);
    }

    private static long middle(long size) {
        return size / 2 & -BLOCK_BYTES;
    }

    private static long last(long size) {
        return size - 1 & -BLOCK_BYTES;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
