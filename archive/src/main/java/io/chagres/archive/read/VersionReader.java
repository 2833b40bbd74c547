package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Record;
import io.chagres.archive.log.FileVersion;
import io.chagres.archive.log.HostState;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Reads bytes of versions by position. Every piece is checked against the checksum in the log before any of it is
 * handed out. Confined to one thread.
 */
public final class VersionReader implements AutoCloseable {
    private static final int PIECE_BYTES = 256 * 1024;
    /** Writers refer to the version that stores the bytes, so a long chain is not theirs. */
    private static final int MAX_DEPTH = 64;

    private final BlobStore store;
    private final String hostId;
    private final HostState state;
    private final FrameCache frames;
    private final byte[] piece = new byte[PIECE_BYTES];
    private final CRC32C crc = new CRC32C();
    private long pieceVersion = -1;
    private long pieceStart;
    private int pieceLength;

    /** Makes a reader of versions of a state whose extents were kept. */
    public VersionReader(BlobStore store, String hostId, HostState state) {
        this.store = store;
        this.hostId = hostId;
        this.state = state;
        frames = new FrameCache(store);
    }

    /**
     * Reads from a position.
     *
     * @param position at least the version's start position
     * @param target takes at most its size, borrowed until return
     * @return bytes read, at least 1 within the version; 0 at or behind its end
     * @throws CorruptArchiveException when the archive does not hold what its log says
     */
    public int read(FileVersion version, long position, MemorySegment target) throws IOException {
        if (position >= version.length() || target.byteSize() == 0) {
            return 0;
        }
        if (position < version.startPosition()) {
            throw new IllegalArgumentException("bytes before " + version.startPosition() + " were not shipped");
        }
        boolean cached = pieceVersion == version.id()
                && position >= pieceStart
                && position < pieceStart + pieceLength;
        if (!cached) {
            load(version, position);
        }
        int within = (int) (position - pieceStart);
        int length = (int) Math.min(pieceLength - within, target.byteSize());
        MemorySegment.copy(MemorySegment.ofArray(piece), within, target, 0, length);
        return length;
    }

    /** Loads the checksummed piece that holds a position. */
    private void load(FileVersion version, long position) throws IOException {
        Record.Extent extent = extentAt(version, position);
        long start = extent.start() + (position - extent.start()) / PIECE_BYTES * PIECE_BYTES;
        int length = (int) Math.min(PIECE_BYTES, extent.end() - start);
        pieceVersion = -1;
        fill(extent, start, length, 0, 0);
        pieceVersion = version.id();
        pieceStart = start;
        pieceLength = length;
    }

    /** Puts a range of an extent into the piece buffer and checks it where the range is a checksummed piece. */
    private void fill(Record.Extent extent, long start, int length, int at, int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new CorruptArchiveException(
                    "version " + ArchiveLayout.hex(extent.versionId()), "it is a copy of a copy too many times");
        }
        switch (extent) {
            case Record.ZeroRun zeros -> java.util.Arrays.fill(piece, at, at + length, (byte) 0);
            case Record.Run run -> {
                String key = ArchiveLayout.commit(hostId, run.seq());
                content(key, run.dataOffset() + start - run.start(), at, length);
                if (start == run.start() && length == run.length()) {
                    check(key, run.crc(), at, length, extent);
                }
            }
            case Record.ObjectRun run -> object(run, start, at, length);
            case Record.CopyRun copy -> {
                copied(copy, start, at, length, depth);
                if (start == copy.start() && length == copy.length()) {
                    check("version " + ArchiveLayout.hex(copy.versionId()), copy.crc(), at, length, extent);
                }
            }
        }
    }

    private void object(Record.ObjectRun run, long start, int at, int length) throws IOException {
        String key = ArchiveLayout.object(
                hostId, run.versionId(), run.start(), run.end(), run.unique(), run.codec());
        long offset = start - run.start();
        if (run.codec() == Codec.ZSTD) {
            content(key, offset, at, length);
        } else {
            bare(key, offset, at, length);
        }
        if (offset % PIECE_BYTES == 0 && (length == PIECE_BYTES || start + length == run.end())) {
            check(key, run.crcs()[(int) (offset / PIECE_BYTES)], at, length, run);
        }
    }

    private void bare(String key, long offset, int at, int length) throws IOException {
        try {
            int read = store.get(key, offset, MemorySegment.ofArray(piece).asSlice(at, length));
            if (read != length) {
                throw new CorruptArchiveException(key, "it is cut off");
            }
        } catch (NoSuchBlobException e) {
            throw new CorruptArchiveException(key, "it is missing");
        }
    }

    private void content(String key, long offset, int at, int length) throws IOException {
        MemorySegment target = MemorySegment.ofArray(piece).asSlice(at, length);
        int done = 0;
        while (done < length) {
            done += frames.read(key, offset + done, target.asSlice(done));
        }
    }

    private void copied(Record.CopyRun copy, long start, int at, int length, int depth) throws IOException {
        FileVersion source = state.version(copy.sourceVersion());
        long from = copy.sourceStart() + start - copy.start();
        if (source == null || from + length > source.length() || from < source.startPosition()) {
            throw new CorruptArchiveException(
                    "version " + ArchiveLayout.hex(copy.versionId()),
                    "it copies bytes that version " + ArchiveLayout.hex(copy.sourceVersion()) + " does not have");
        }
        int done = 0;
        while (done < length) {
            Record.Extent extent = extentAt(source, from + done);
            int part = (int) Math.min(length - done, extent.end() - from - done);
            fill(extent, from + done, part, at + done, depth + 1);
            done += part;
        }
    }

    private void check(String object, int expected, int at, int length, Record.Extent extent)
            throws CorruptArchiveException {
        crc.reset();
        crc.update(piece, at, length);
        if ((int) crc.getValue() != expected) {
            throw new CorruptArchiveException(
                    object,
                    "wrong checksum of bytes " + extent.start() + " to " + extent.end() + " of version "
                            + ArchiveLayout.hex(extent.versionId()));
        }
    }

    private static Record.Extent extentAt(FileVersion version, long position) throws CorruptArchiveException {
        List<Record.Extent> extents = version.extents();
        if (extents == null) {
            throw new IllegalStateException("the extents of version " + version.id() + " were not kept");
        }
        int low = 0;
        int high = extents.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (extents.get(middle).start() <= position) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (extents.isEmpty() || position < extents.get(low).start() || position >= extents.get(low).end()) {
            throw new CorruptArchiveException(
                    "version " + ArchiveLayout.hex(version.id()), "no extent holds byte " + position);
        }
        return extents.get(low);
    }

    @Override
    public void close() {
        pieceVersion = -1;
    }
}
