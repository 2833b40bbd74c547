package io.chagres.ship;

import io.chagres.linux.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Compares a file with the checksums of what was shipped of it. A position is never trusted unverified: after a
 * restart, after an unclean boot and when a file changed without growing, the prefix is read again. Confined to the
 * shipper's thread; allocates nothing per check.
 */
final class PrefixCheck implements AutoCloseable {
    private static final int BUFFER_BYTES = PrefixChecksums.PIECE_BYTES;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
    private final ByteBuffer bytes = buffer.asByteBuffer();
    private final CRC32C crc = new CRC32C();
    private int errno;

    /** Returns the errno because of which the last comparison could not tell, or 0 if it could. */
    int errno() {
        return errno;
    }

    /**
     * Returns the first piece in a range that the file does not hold any more, or that cannot be read, see
     * {@link #errno()}; or {@code toPiece} when all are as they were shipped.
     */
    int firstMismatch(Tail tail, int fromPiece, int toPiece) {
        errno = 0;
        Fd fd = Objects.requireNonNull(tail.fd());
        for (int piece = fromPiece; piece < toPiece; piece++) {
            if (!matches(fd, tail.prefix.pieceStart(piece), tail.prefix.pieceEnd(piece), tail.prefix.pieceCrc(piece))) {
                return piece;
            }
        }
        return toPiece;
    }

    /** Says whether a range of a file has a given CRC32C; false when the file is shorter or cannot be read. */
    boolean matches(Fd fd, long start, long end, int expectedCrc) {
        crc.reset();
        errno = 0;
        for (long at = start; at < end; ) {
            long read = fd.pread(buffer, 0, Math.min(BUFFER_BYTES, end - at), at);
            if (read <= 0) {
                errno = (int) -read;
                return false;
            }
            bytes.limit((int) read).position(0);
            crc.update(bytes);
            at += read;
        }
        return (int) crc.getValue() == expectedCrc;
    }

    @Override
    public void close() {
        arena.close();
    }
}
