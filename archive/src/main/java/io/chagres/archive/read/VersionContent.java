package io.chagres.archive.read;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Reads ranges of the versions of one host and hands them on, piece by piece; of large ones other threads may read the
 * next pieces meanwhile. Confined to one thread.
 */
public final class VersionContent implements AutoCloseable {
    private static final int PIECE_BYTES = 256 * 1024;

    private final VersionReader reader;
    private final VersionBlocks blocks;

    /** Takes the bytes of a range, in order. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Takes a piece.
         *
         * @param position of its first byte in the version
         * @param bytes borrowed until return
         */
        void write(long position, MemorySegment bytes) throws IOException;
    }

    /**
     * Makes a reader that reads nothing ahead.
     *
     * @param state knows where the bytes of the versions to read are
     */
    public VersionContent(BlobStore store, String hostId, HostState state) {
        this(store, hostId, state, Lookahead.NONE);
    }

    /**
     * Makes a reader.
     *
     * @param state knows where the bytes of the versions to read are; it is not changed while a range is read
     */
    public VersionContent(BlobStore store, String hostId, HostState state, Lookahead lookahead) {
        reader = new VersionReader(store, hostId, state);
        blocks = new VersionBlocks(store, hostId, reader, lookahead);
    }

    /** Hands a range of a version's bytes to a sink; what is whole before anything damaged comes, too. */
    public void copy(FileVersion version, long start, long end, Sink sink) throws IOException {
        reader.expect(version, start, end);
        blocks.begin(version, start, end);
        long position = start;
        for (MemorySegment bytes = blocks.next(PIECE_BYTES); bytes.byteSize() > 0; bytes = blocks.next(PIECE_BYTES)) {
            sink.write(position, bytes);
            position += bytes.byteSize();
        }
    }

    /** Begins to read a range; {@link #readOn} gives its bytes. */
    public void begin(FileVersion version, long start, long end) {
        blocks.begin(version, start, end);
    }

    /**
     * Reads on in the range that was begun: what is whole before anything damaged, and then throws.
     *
     * @param target native memory, gets as many bytes as it takes or fewer
     * @return how many; 0 at the end of the range
     */
    public int readOn(MemorySegment target) throws IOException {
        return blocks.read(target);
    }

    /** Hears which bytes are no longer proven. */
    @FunctionalInterface
    public interface Losses {
        /** These bytes cannot be read, and why. */
        void lost(long start, long end, CorruptArchiveException cause);
    }

    /**
     * Hands the proven bytes of a range of a version to a sink, and names the rest.
     *
     * @throws IOException of the sink, or when the store does not answer
     */
    public void copyProven(FileVersion version, long start, long end, Sink sink, Losses losses) throws IOException {
        reader.expect(version, start, end);
        blocks.begin(version, start, end);
        for (long position = start; position < end; ) {
            MemorySegment bytes;
            try {
                bytes = blocks.next(PIECE_BYTES);
            } catch (CorruptArchiveException | EncryptedException | StoreException e) {
                if (e instanceof StoreException refusal && refusal.isUnanswered()) {
                    throw e;
                }
                copyPieces(version, position, end, sink, losses);
                return;
            }
            sink.write(position, bytes);
            position += bytes.byteSize();
        }
    }

    private void copyPieces(FileVersion version, long start, long end, Sink sink, Losses losses) throws IOException {
        for (LogRecord.Extent extent : Extents.of(version)) {
            if (extent.end() <= start || extent.start() >= end) {
                continue;
            }
            reader.readPieces(extent, start, end, new VersionReader.PieceVisitor() {
                @Override
                public void good(long position, MemorySegment bytes) throws IOException {
                    long from = Math.max(start, position);
                    long to = Math.min(end, position + bytes.byteSize());
                    if (from < to) {
                        sink.write(from, bytes.asSlice(from - position, to - from));
                    }
                }

                @Override
                public void damaged(long from, long to, CorruptArchiveException cause) {
                    if (from < end && to > start) {
                        losses.lost(Math.max(start, from), Math.min(end, to), cause);
                    }
                }
            });
        }
    }

    /** Reads from a position on: what is whole before anything damaged; see {@link VersionReader#read}. */
    public int read(FileVersion version, long position, MemorySegment target) throws IOException {
        return reader.read(version, position, target);
    }

    /**
     * Fills a segment from a position on.
     *
     * @throws EOFException when the version is shorter
     */
    public void readFully(FileVersion version, long position, MemorySegment target) throws IOException {
        long done = 0;
        while (done < target.byteSize()) {
            int got = reader.read(version, position + done, target.asSlice(done));
            if (got <= 0) {
                throw new EOFException("version " + Long.toHexString(version.id()) + " ends at " + (position + done)
                        + " of " + version.length() + "; 'chagres verify' tells more");
            }
            done += got;
        }
    }

    @Override
    public void close() {
        blocks.close();
        reader.close();
    }
}
