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
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes a range of a file as a data object. With codec none the kernel copies the bytes and the checksums are those of
 * the copy; with zstd they are compressed piece by piece. Every call has its own buffers: safe for any thread.
 */
public final class ObjectWriter {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int PIECE = SeekableFrames.FRAME_BYTES;

    /**
     * Says which bytes to write.
     *
     * @param versionId the version they belong to
     * @param start position of the first byte
     * @param length number of bytes
     * @param mtimeNs the file's modification time
     */
    public record Range(long versionId, long start, long length, long mtimeNs) {
        long end() {
            return start + length;
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
        int[] crcs = new int[(int) ((range.length() + PIECE - 1) / PIECE)];
        try (BlobWriter writer = store.create(key);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(PIECE, 64);
            long objectLength = 0;
            long written;
            if (codec == Codec.NONE) {
                written = writer.sharesBlocksWith(source)
                        ? share(writer, source, range, buffer, crcs)
                        : copy(writer, source, range, buffer, crcs);
                objectLength = written;
            } else {
                long[] lengths = compress(writer, source, range, buffer, arena, crcs, level);
                written = lengths[0];
                objectLength = lengths[1];
            }
            if (written < range.length()) {
                return null;
            }
            writer.commit();
            return new Record.ObjectRun(
                    range.versionId(),
                    range.start(),
                    range.length(),
                    unique,
                    objectLength,
                    codec,
                    Arrays.copyOf(crcs, (int) ((written + PIECE - 1) / PIECE)),
                    range.mtimeNs());
        }
    }

    private static long copy(
            BlobWriter writer, Fd source, Range range, MemorySegment buffer, int[] crcs) throws IOException {
        ByteBuffer bytes = buffer.asByteBuffer();
        CRC32C crc = new CRC32C();
        long done = 0;
        while (done < range.length()) {
            int want = (int) Math.min(PIECE, range.length() - done);
            long read = source.preadFully(buffer, 0, want, range.start() + done);
            if (read < want) {
                break;
            }
            crcs[(int) (done / PIECE)] = crcOf(crc, bytes, want);
            writer.write(buffer, 0, read);
            done += read;
        }
        return done;
    }

    private static long share(
            BlobWriter writer, Fd source, Range range, MemorySegment buffer, int[] crcs)
            throws IOException {
        ByteBuffer bytes = buffer.asByteBuffer();
        CRC32C crc = new CRC32C();
        long done = 0;
        while (done < range.length()) {
            long want = Math.min(8L * PIECE, range.length() - done);
            long copied = writer.copyFrom(source, range.start() + done, want);
            for (long at = 0; at < copied; at += PIECE) {
                int piece = (int) Math.min(PIECE, copied - at);
                writer.read(done + at, buffer, 0, piece);
                crcs[(int) ((done + at) / PIECE)] = crcOf(crc, bytes, piece);
            }
            done += copied;
            if (copied < want) {
                break;
            }
        }
        return done;
    }

    private static long[] compress(
            BlobWriter writer, Fd source, Range range, MemorySegment buffer, Arena arena, int[] crcs, int level)
            throws IOException {
        ByteBuffer bytes = buffer.asByteBuffer();
        MemorySegment out = arena.allocate(SeekableFrames.boundOf(PIECE), 64);
        ByteBuffer outBytes = out.asByteBuffer();
        CRC32C crc = new CRC32C();
        long done = 0;
        long stored = 0;
        try (SeekableFrames frames = new SeekableFrames(level)) {
            while (done < range.length()) {
                int want = (int) Math.min(PIECE, range.length() - done);
                long read = source.preadFully(buffer, 0, want, range.start() + done);
                if (read < want) {
                    break;
                }
                crcs[(int) (done / PIECE)] = crcOf(crc, bytes, want);
                int size = frames.frame(outBytes, 0, bytes, 0, want);
                writer.write(out, 0, size);
                stored += size;
                done += read;
            }
            MemorySegment table = arena.allocate(Math.max(1, frames.tableBytes()));
            int tableBytes = frames.table(table, 0);
            writer.write(table, 0, tableBytes);
            stored += tableBytes;
        } catch (ErrnoException e) {
            throw new IOException("cannot read the file to ship: " + e.getMessage(), e);
        }
        return new long[] {done, stored};
    }

    private static int crcOf(CRC32C crc, ByteBuffer bytes, int length) {
        crc.reset();
        bytes.limit(length).position(0);
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
