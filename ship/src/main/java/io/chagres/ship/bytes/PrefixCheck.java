package io.chagres.ship.bytes;

import io.chagres.foreign.Errno;
import io.chagres.foreign.MemoryScan;
import io.chagres.linux.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Compares a file with the checksums of its shipped bytes. Owns its buffer. Confined to one thread; allocates
 * nothing per check.
 */
public final class PrefixCheck implements AutoCloseable {
    private static final int BUFFER_BYTES = PrefixChecksums.PIECE_BYTES;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
    private final ByteBuffer bytes = buffer.asByteBuffer();
    private final CRC32C crc = new CRC32C();
    private int errno;

    /** Returns the errno that kept the last comparison from a result, or 0 if it had one. */
    public int errno() {
        return errno;
    }

    /**
     * Returns the index of the first piece that the file no longer holds, or that cannot be read, see {@link #errno()};
     * or the number of pieces when all are as they were shipped.
     */
    public int firstMismatch(Fd fd, PrefixChecksums.Pieces pieces) {
        errno = 0;
        long start = pieces.start();
        for (int i = 0; i < pieces.ends().length; i++) {
            if (!matches(fd, start, pieces.ends()[i], pieces.crcs()[i])) {
                return i;
            }
            start = pieces.ends()[i];
        }
        return pieces.ends().length;
    }

    /** Says whether a range of a file has a given CRC32C; false when the file is shorter or cannot be read. */
    public boolean matches(Fd fd, long start, long end, int expectedCrc) {
        if (end - start > PrefixChecksums.PIECE_BYTES && expectedCrc == Crc32cMath.ofZeros(end - start)) {
            return isZeros(fd, start, end);
        }
        return read(fd, start, end) == end && (int) crc.getValue() == expectedCrc;
    }

    /** Says whether a range holds nothing but zeros: holes, however long, are leapt. */
    private boolean isZeros(Fd fd, long start, long end) {
        errno = 0;
        long at = Math.max(start, Math.min(end - 1, dataFrom(fd, start, end))); // the last byte: does it reach so far?
        while (at < end) {
            long read = fd.preadAll(buffer, 0, Math.min(BUFFER_BYTES, end - at), at);
            if (read <= 0) {
                errno = (int) -read;
                return false;
            }
            if (MemoryScan.trailingZeros(buffer, 0, read) < read) {
                return false;
            }
            at = at + read == end ? end : Math.min(end - 1, dataFrom(fd, at + read, end));
        }
        return true;
    }

    /** Returns where the first data is at or behind a position; the end when there is none before. */
    private static long dataFrom(Fd fd, long position, long end) {
        long data = fd.seekData(position);
        return data == -Errno.ENXIO ? end : data < 0 ? position : Math.min(data, end);
    }

    /** Returns the CRC32C of a range of a file, as far as the file reaches; see {@link #errno()}. */
    public int crcOf(Fd fd, long start, long end) {
        read(fd, start, end);
        return (int) crc.getValue();
    }

    private long read(Fd fd, long start, long end) {
        crc.reset();
        errno = 0;
        long at = start;
        while (at < end) {
            long read = fd.pread(buffer, 0, Math.min(BUFFER_BYTES, end - at), at);
            if (read <= 0) {
                errno = (int) -read;
                return at;
            }
            bytes.limit((int) read).position(0);
            crc.update(bytes);
            at += read;
        }
        return at;
    }

    @Override
    public void close() {
        arena.close();
    }
}
