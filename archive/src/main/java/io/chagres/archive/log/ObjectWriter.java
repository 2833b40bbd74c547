package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FrameWriter;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes a range of a file as a data object. With codecs zstd and gzip it is compressed piece by piece. With codec none
 * the bytes are written as they are; or, where the file system can, the object shares the file's blocks, and the
 * checksums are those of the copy. Every call has its own buffers: safe for any thread.
 */
public final class ObjectWriter {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int PIECE = LogRecord.PIECE_BYTES;
    private static final long SHARED_BYTES = 8L * PIECE;
    /** Stores take large and aligned pieces best: a directory writes them past the page cache. */
    private static final int WRITE_BYTES = 4 * PIECE;

    private static final int ALIGNMENT = 4096;

    /**
     * Says which bytes to write.
     *
     * @param versionId the version they belong to
     * @param start position of the first byte
     * @param length number of bytes, 1 to 4 GiB; with codec gzip {@link
     *     io.chagres.archive.format.GzipMembers#MAX_CONTENT_BYTES}
     * @param mtimeNs the file's modification time
     */
    public record Range(long versionId, long start, long length, long mtimeNs) {
        long end() {
            return start + length;
        }

        int pieces() {
            return Math.toIntExact((length - 1) / PIECE + 1);
        }
    }

    /**
     * An object that is durable.
     *
     * @param run the record that refers to it
     * @param digest the record that goes before that one, where the store takes digests
     */
    public record Written(LogRecord.ObjectRun run, LogRecord.@Nullable ObjectDigest digest) {}

    private ObjectWriter() {}

    /**
     * Writes an object and makes it durable. It counts only when a commit refers to it.
     *
     * @param range which bytes of the source
     * @param level of the codec, 1 to 19
     * @return what refers to the object, or null when the source does not have all these bytes
     * @throws io.chagres.foreign.ErrnoException when the source cannot be read
     * @throws IOException when the store refuses
     */
    public static @Nullable Written write(
            BlobStore store, String hostId, Range range, Fd source, Codec codec, int level) throws IOException {
        long unique = RANDOM.nextLong();
        String key = ArchiveLayout.object(hostId, range.versionId(), range.start(), range.end(), unique, codec);
        try (BlobWriter writer = store.create(key);
                Transfer transfer = new Transfer(writer, source, range)) {
            if (!transfer.run(codec, level)) {
                return null;
            }
            writer.commit();
            requireThere(ProtectedStore.stored(store), key);
            LogRecord.ObjectRun run = new LogRecord.ObjectRun(
                    range.versionId(),
                    range.start(),
                    range.length(),
                    unique,
                    transfer.stored,
                    codec,
                    transfer.crcs,
                    range.mtimeNs());
            byte[] sha256 = writer.sha256();
            return new Written(
                    run, sha256 == null ? null : new LogRecord.ObjectDigest(range.versionId(), unique, sha256));
        }
    }

    /**
     * A store may answer that it took an object, and forget it. One that forbids the question is believed; one that
     * does not answer it is not.
     */
    private static void requireThere(BlobStore store, String key) throws IOException {
        try {
            if (store.traits().isLocal() || store.exists(key)) {
                return;
            }
        } catch (StoreException e) {
            if (e.isLasting()) {
                return;
            }
            throw e;
        }
        throw new StoreException(
                store.name() + ": " + key + " is not there, though the store answered that it took it");
    }

    /** Moves the bytes of one object; its methods return false when the source ended before the range. */
    private static final class Transfer implements AutoCloseable {
        private final BlobWriter writer;
        private final Fd source;
        private final Range range;
        private final Arena arena = Arena.ofConfined();
        private final CRC32C crc = new CRC32C();
        private final int[] crcs;
        private long stored;

        Transfer(BlobWriter writer, Fd source, Range range) {
            this.writer = writer;
            this.source = source;
            this.range = range;
            crcs = new int[range.pieces()];
        }

        boolean run(Codec codec, int level) throws IOException {
            return switch (codec) {
                case ZSTD, GZIP -> compress(codec, level);
                case NONE -> writer.sharesBlocksWith(source) ? share() : copy();
            };
        }

        private boolean copy() throws IOException {
            MemorySegment buffer = arena.allocate(WRITE_BYTES, ALIGNMENT);
            ByteBuffer bytes = buffer.asByteBuffer();
            int filled = 0;
            for (int i = 0; i < crcs.length; i++) {
                int length = read(i, buffer, bytes, filled);
                if (length == 0) {
                    return false;
                }
                filled += length;
                if (filled == WRITE_BYTES || i == crcs.length - 1) {
                    write(buffer, filled);
                    filled = 0;
                }
            }
            return true;
        }

        private boolean compress(Codec codec, int level) throws IOException {
            MemorySegment piece = arena.allocate(PIECE, 64);
            ByteBuffer pieceBytes = piece.asByteBuffer();
            int filled = 0;
            try (FrameWriter frames = FrameWriter.of(codec, level)) {
                MemorySegment out = arena.allocate(WRITE_BYTES + frames.frameBound(), ALIGNMENT);
                ByteBuffer outBytes = out.asByteBuffer();
                for (int i = 0; i < crcs.length; i++) {
                    int length = read(i, piece, pieceBytes, 0);
                    if (length == 0) {
                        return false;
                    }
                    filled += frames.frame(outBytes, filled, pieceBytes, 0, length);
                    if (filled >= WRITE_BYTES) {
                        write(out, WRITE_BYTES);
                        filled -= WRITE_BYTES;
                        MemorySegment.copy(out, WRITE_BYTES, out, 0, filled);
                    }
                }
                write(out, filled);
                MemorySegment table = arena.allocate(frames.tableBytes());
                frames.table(table, 0);
                write(table, (int) table.byteSize());
            }
            return true;
        }

        private void write(MemorySegment buffer, int length) throws IOException {
            writer.write(buffer, 0, length);
            stored += length;
        }

        private boolean share() throws IOException {
            MemorySegment piece = arena.allocate(PIECE, 64);
            ByteBuffer pieceBytes = piece.asByteBuffer();
            while (stored < range.length()) {
                long want = Math.min(SHARED_BYTES, range.length() - stored);
                if (writer.copyFrom(source, range.start() + stored, want) < want) {
                    return false;
                }
                for (long end = stored + want; stored < end; ) {
                    int index = (int) (stored / PIECE);
                    int length = lengthOf(index);
                    writer.read(stored, piece, 0, length);
                    checksum(index, pieceBytes, 0, length);
                    stored += length;
                }
            }
            return true;
        }

        /** Reads a piece of the source and takes its checksum; 0 when the source does not have all of it. */
        private int read(int index, MemorySegment buffer, ByteBuffer bytes, int offset) throws IOException {
            int length = lengthOf(index);
            if (source.preadFully(buffer, offset, length, range.start() + (long) index * PIECE) < length) {
                return 0;
            }
            checksum(index, bytes, offset, length);
            return length;
        }

        private int lengthOf(int index) {
            return (int) Math.min(PIECE, range.length() - (long) index * PIECE);
        }

        private void checksum(int index, ByteBuffer bytes, int offset, int length) {
            crc.reset();
            crc.update(bytes.limit(offset + length).position(offset));
            crcs[index] = (int) crc.getValue();
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
