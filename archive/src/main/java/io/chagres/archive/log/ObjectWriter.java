package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.Record;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes a range of a file as a data object. With codec zstd it is compressed piece by piece; with codec none the bytes
 * are written as they are, or where the file system can, its blocks are shared and the checksums are those of the copy.
 * Every call has its own buffers: safe for any thread.
 */
public final class ObjectWriter {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int PIECE = Record.PIECE_BYTES;
    private static final long SHARED_BYTES = 8L * PIECE;

    /**
     * Says which bytes to write.
     *
     * @param versionId the version they belong to
     * @param start position of the first byte
     * @param length number of bytes, 1 to 4 GiB
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

    private ObjectWriter() {}

    /**
     * Writes an object and makes it durable. It counts only when a commit refers to it.
     *
     * @param range which bytes of the source
     * @param level zstd level, 1 to 19
     * @return the record that refers to the object, or null when the source does not have all these bytes
     */
    public static Record.@Nullable ObjectRun write(
            BlobStore store, String hostId, Range range, Fd source, Codec codec, int level) throws IOException {
        long unique = RANDOM.nextLong();
        String key = ArchiveLayout.object(hostId, range.versionId(), range.start(), range.end(), unique, codec);
        try (BlobWriter writer = store.create(key);
                Transfer transfer = new Transfer(writer, source, range)) {
            if (!transfer.run(codec, level)) {
                return null;
            }
            writer.commit();
            return new Record.ObjectRun(
                    range.versionId(),
                    range.start(),
                    range.length(),
                    unique,
                    transfer.stored,
                    codec,
                    transfer.crcs,
                    range.mtimeNs());
        }
    }

    /** Moves the bytes of one object; its methods return false when the source ended before the range. */
    private static final class Transfer implements AutoCloseable {
        private final BlobWriter writer;
        private final Fd source;
        private final Range range;
        private final Arena arena = Arena.ofConfined();
        private final MemorySegment piece = arena.allocate(PIECE, 64);
        private final ByteBuffer pieceBytes = piece.asByteBuffer();
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
                case ZSTD -> compress(level);
                case NONE -> writer.sharesBlocksWith(source) ? share() : copy();
            };
        }

        private boolean copy() throws IOException {
            for (int i = 0; i < crcs.length; i++) {
                int length = read(i);
                if (length == 0) {
                    return false;
                }
                writer.write(piece, 0, length);
                stored += length;
            }
            return true;
        }

        private boolean compress(int level) throws IOException {
            MemorySegment out = arena.allocate(SeekableFrames.boundOf(PIECE), 64);
            ByteBuffer outBytes = out.asByteBuffer();
            try (SeekableFrames frames = new SeekableFrames(level)) {
                for (int i = 0; i < crcs.length; i++) {
                    int length = read(i);
                    if (length == 0) {
                        return false;
                    }
                    int size = frames.frame(outBytes, 0, pieceBytes, 0, length);
                    writer.write(out, 0, size);
                    stored += size;
                }
                MemorySegment table = arena.allocate(frames.tableBytes());
                writer.write(table, 0, frames.table(table, 0));
                stored += table.byteSize();
            }
            return true;
        }

        private boolean share() throws IOException {
            while (stored < range.length()) {
                long want = Math.min(SHARED_BYTES, range.length() - stored);
                if (writer.copyFrom(source, range.start() + stored, want) < want) {
                    return false;
                }
                for (long end = stored + want; stored < end; ) {
                    int index = (int) (stored / PIECE);
                    int length = lengthOf(index);
                    writer.read(stored, piece, 0, length);
                    checksum(index, length);
                    stored += length;
                }
            }
            return true;
        }

        /** Reads a piece of the source and takes its checksum; 0 when the source does not have all of it. */
        private int read(int index) throws IOException {
            int length = lengthOf(index);
            try {
                if (source.preadFully(piece, 0, length, range.start() + (long) index * PIECE) < length) {
                    return 0;
                }
            } catch (ErrnoException e) {
                throw new IOException("the file to ship cannot be read: " + e.getMessage(), e);
            }
            checksum(index, length);
            return length;
        }

        private int lengthOf(int index) {
            return (int) Math.min(PIECE, range.length() - (long) index * PIECE);
        }

        private void checksum(int index, int length) {
            crc.reset();
            crc.update(pieceBytes.limit(length).position(0));
            crcs[index] = (int) crc.getValue();
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
