package io.chagres.linux;

import io.chagres.foreign.call.ArrayRead;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Reads files into Java arrays, as fast as the page cache gives them and without holding up anybody where it does not.
 *
 * <p>Bytes in the page cache go straight into the array, by a call that never waits (preadv2(2) with RWF_NOWAIT)
 * and that safepoints wait for, which is why it takes at most {@link ArrayRead#MAX_BYTES}. Where it gives less than it
 * was asked for, a call that may wait reads into memory of this object, and the bytes are copied. As that starts the
 * kernel's read-ahead, the next reads are made the same way: {@value #FIRST_PATIENCE} of them at first, twice as many
 * after each miss that follows, up to {@value #MAX_PATIENCE}; a hit ends that. Where the kernel, the file system or
 * {@link io.chagres.foreign.call.Backend#LIBC} has no call that never waits, all reads are of the second kind.
 *
 * <p>One reader serves any number of files, best such that are alike. Used by one thread at a time; allocates nothing,
 * except for an error without the raw backend.
 */
public final class HeapReader implements AutoCloseable {
    private static final int FIRST_PATIENCE = 8;
    private static final int MAX_PATIENCE = 256;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(ArrayRead.MAX_BYTES, 64);

    private final boolean triesCache;
    private int patience = FIRST_PATIENCE;
    private int waitingReads;
    private long hits;
    private long misses;

    /** Makes a reader with memory of its own, freed by {@link #close()}. */
    public HeapReader() {
        this(ArrayRead.isAvailable());
    }

    HeapReader(boolean triesCache) {
        this.triesCache = triesCache;
    }

    /**
     * Reads at a position until the length is there or the file ends. The offset of {@link Fd#read} stays.
     *
     * @param fd the file, borrowed
     * @param array where to
     * @param offset in the array
     * @param length how many bytes
     * @param position in the file, bytes from its start
     * @return the bytes read, fewer than {@code length} at the end or before an error; 0 at or after the end; or
     *     {@code -errno} if the first read fails: -EBADF, -EISDIR, -ESPIPE, -EINVAL, -EIO, see pread(2)
     */
    public int read(Fd fd, byte[] array, int offset, int length, long position) {
        return read(fd.value(), array, offset, length, position);
    }

    /**
     * Reads at a position through a raw descriptor until the length is there or the file ends.
     *
     * @param fd an open descriptor
     * @param array where to
     * @param offset in the array
     * @param length how many bytes
     * @param position in the file, bytes from its start
     * @return what the other {@code read} returns
     */
    public int read(int fd, byte[] array, int offset, int length, long position) {
        Objects.checkFromIndexSize(offset, length, array.length);
        int done = 0;
        while (done < length) {
            int piece = Math.min(length - done, ArrayRead.MAX_BYTES);
            int n = piece(fd, array, offset + done, piece, position + done);
            if (n <= 0) {
                return done > 0 ? done : n;
            }
            done += n;
        }
        return done;
    }

    /**
     * Counts the reads that found all they asked for in the page cache.
     *
     * @return since this reader was made
     */
    long hits() {
        return hits;
    }

    /**
     * Counts the reads that tried the page cache and found that they had to wait.
     *
     * @return since this reader was made; the reads after a miss that did not try are no misses
     */
    long misses() {
        return misses;
    }

    /** Frees the memory. Idempotent. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private int piece(int fd, byte[] array, int offset, int length, long position) {
        if (waitingReads > 0 || !triesCache) {
            waitingReads--;
            return waiting(fd, array, offset, length, position);
        }
        int there = Math.max(0, (int) ArrayRead.nowait(fd, array, offset, length, position));
        if (there == length) {
            hits++;
            patience = FIRST_PATIENCE;
            return there;
        }
        // The end of the file and an error look like a miss; only a call that may wait tells them apart.
        int rest = waiting(fd, array, offset + there, length - there, position + there);
        if (rest > 0) {
            misses++;
            waitingReads = patience;
            patience = Math.min(2 * patience, MAX_PATIENCE);
        }
        return there == 0 || rest > 0 ? there + rest : there;
    }

    private int waiting(int fd, byte[] array, int offset, int length, long position) {
        int n = (int) FileCalls.pread(fd, buffer, 0, length, position);
        if (n > 0) {
            MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, array, offset, n);
        }
        return n;
    }
}
