package io.chagres.ship.copy;

import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.foreign.Errno;
import io.chagres.foreign.MemoryCompare;
import io.chagres.linux.Fd;
import io.chagres.ship.bytes.PrefixChecksums;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Compares bytes of a local file with bytes the archive already holds. Equal checksums prove nothing; only a range
 * that was compared byte by byte may be recorded as a copy of an older version. Confined to one thread.
 */
public final class ArchivedBytes implements AutoCloseable {
    public static final int PIECE_BYTES = PrefixChecksums.PIECE_BYTES;

    private final HostState state;
    private final VersionReader reader;
    private final Arena arena = Arena.ofShared(); // rounds of a comparison run on any thread
    private final MemorySegment local = arena.allocate(PIECE_BYTES, 8);
    private final MemorySegment archived = arena.allocate(PIECE_BYTES, 8);
    private final ByteBuffer localBytes = local.asByteBuffer();
    private final CRC32C crc = new CRC32C();

    /** Loads where the archive holds the bytes of some versions. */
    public ArchivedBytes(OwnLog log, Set<Long> versionIds) throws IOException {
        state = HostLog.load(log.store(), log.hostId(), versionIds, log.recent());
        reader = new VersionReader(log.store(), log.hostId(), state);
    }

    /** Returns how many bytes the archive holds of a version. */
    public long length(long versionId) {
        FileVersion version = state.version(versionId);
        return version == null ? 0 : version.length();
    }

    /**
     * Returns how many bytes of a range are equal in the file and in a version, counted from the start of the range.
     *
     * @param lengthBytes at most {@link #PIECE_BYTES}
     */
    long equalBytes(long versionId, Fd fd, long position, long lengthBytes) throws IOException {
        @Nullable FileVersion version = state.version(versionId);
        if (version == null || position >= version.length() || position < comparableFrom(version)) {
            return 0;
        }
        long want = Math.min(lengthBytes, version.length() - position);
        long read = fd.preadAll(local, 0, want, position);
        if (read <= 0) {
            return 0;
        }
        int got = readFully(version, position, read);
        long differs = MemoryCompare.mismatch(local, 0, archived, 0, got);
        return differs < 0 ? got : differs;
    }

    /**
     * Returns how far a hole reaches that a version has from a position on and the file as well.
     *
     * @return from position to end; the position itself when one of them may have data there
     */
    long holeEnd(long versionId, Fd fd, long position, long end) {
        @Nullable FileVersion version = state.version(versionId);
        if (version == null || position < comparableFrom(version)) {
            return position;
        }
        long archivedEnd = Math.min(end, Extents.holeEnd(version, position));
        if (archivedEnd <= position) {
            return position;
        }
        long data = fd.seekData(position);
        return data == -Errno.ENXIO ? archivedEnd : Math.clamp(data, position, archivedEnd);
    }

    /** Says whether a stream holds exactly the bytes of a version. */
    public boolean equalsContent(long versionId, InputStream content) throws IOException {
        FileVersion version = state.version(versionId);
        if (version == null || comparableFrom(version) > 0) {
            return false;
        }
        long position = 0;
        byte[] piece = new byte[PIECE_BYTES];
        while (position < version.length()) {
            int got = content.readNBytes(piece, 0, (int) Math.min(PIECE_BYTES, version.length() - position));
            if (got == 0) {
                return false;
            }
            readFully(version, position, got);
            if (MemoryCompare.mismatch(MemorySegment.ofArray(piece), 0, archived, 0, got) >= 0) {
                return false;
            }
            position += got;
        }
        return content.read() < 0;
    }

    /** A copy cannot refer to bytes that were never shipped, or are expired. */
    private static long comparableFrom(FileVersion version) {
        return Math.max(version.startPosition(), version.retention().expiredBefore());
    }

    private int readFully(FileVersion version, long position, long length) throws IOException {
        int got = 0;
        while (got < length) {
            int part = reader.read(version, position + got, archived.asSlice(got, length - got));
            if (part <= 0) {
                break;
            }
            got += part;
        }
        return got;
    }

    /** Returns the CRC32C of the first bytes of the range that was compared last. */
    int crcOfCompared(int offset, int lengthBytes) {
        crc.reset();
        localBytes.limit(offset + lengthBytes).position(offset);
        crc.update(localBytes);
        return (int) crc.getValue();
    }

    @Override
    public void close() {
        reader.close();
        arena.close();
    }
}
