package io.chagres.archive.log;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.chagres.archive.CorruptArchiveException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Is the first part of a commit or checkpoint: a skippable zstd frame that holds who wrote it, when, after what, and
 * its records. Little endian:
 *
 * <pre>
 *  0 u32 skippable magic 0x184D2A5C     4 u32 payload size
 *  8 u32 magic "CHGC"                  12 u16 format version   14 u16 kind (0 commit, 1 checkpoint)
 * 16 u64 seq                           24 u64 time, ms since 1970
 * 32 16 B incarnation                  48 16 B nonce
 * 64 32 B SHA-256 of the predecessor's payload (of a checkpoint: of the commit it stands for)
 * 96 u32 number of records            100 u32 size of the records  104 u32 stored size  108 stored records (zstd)
 *  . u32 CRC32C of the payload before it
 * </pre>
 *
 * Immutable; arrays are not copied.
 */
public record CommitHeader(
        int kind, long seq, long timeMs, byte[] incarnation, byte[] nonce, byte[] predecessor, byte[] records,
        byte[] chain, int headerBytes) {
    /** Kind of a commit. */
    public static final int COMMIT = 0;
    /** Kind of a checkpoint. */
    public static final int CHECKPOINT = 1;

    static final int MAGIC = 0x184D2A5C;
    static final int FORMAT_MAGIC = 0x43474843;
    static final int FORMAT_VERSION = 1;
    static final int FRAME_HEADER = 8;
    static final int FIXED_BYTES = 100;
    static final int CHAIN_BYTES = 32;
    static final int ID_BYTES = 16;
    /** Records of one object, uncompressed: a checkpoint of millions of files stays below it. */
    static final int MAX_RECORDS_BYTES = 1 << 30;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Encodes a header with its records. */
    static byte[] encode(
            int kind, long seq, long timeMs, byte[] incarnation, byte[] nonce, byte[] predecessor,
            RecordWriter records) {
        byte[] stored = SeekableFrames.compress(records.array(), records.length(), 3);
        byte[] bytes = new byte[FRAME_HEADER + FIXED_BYTES + stored.length + 4];
        MemorySegment out = MemorySegment.ofArray(bytes);
        out.set(INT, 0, MAGIC);
        out.set(INT, 4, bytes.length - FRAME_HEADER);
        out.set(INT, 8, FORMAT_MAGIC);
        out.set(INT, 12, FORMAT_VERSION | kind << 16);
        out.set(LONG, 16, seq);
        out.set(LONG, 24, timeMs);
        System.arraycopy(incarnation, 0, bytes, 32, ID_BYTES);
        System.arraycopy(nonce, 0, bytes, 48, ID_BYTES);
        System.arraycopy(predecessor, 0, bytes, 64, CHAIN_BYTES);
        out.set(INT, 96, records.count());
        out.set(INT, 100, records.length());
        out.set(INT, 104, stored.length);
        System.arraycopy(stored, 0, bytes, 108, stored.length);
        out.set(INT, bytes.length - 4L, crc(bytes, FRAME_HEADER, bytes.length - FRAME_HEADER - 4));
        return bytes;
    }

    /** Returns the value the next commit refers to. */
    static byte[] chainOf(byte[] encoded) {
        return sha256(encoded, FRAME_HEADER, encoded.length - FRAME_HEADER);
    }

    /** Returns the size of the whole skippable frame, from its first 8 bytes. */
    static long frameBytes(String object, byte[] start, long objectBytes) throws IOException {
        MemorySegment in = MemorySegment.ofArray(start);
        if (start.length < FRAME_HEADER || in.get(INT, 0) != MAGIC) {
            throw new CorruptArchiveException(object, "it does not begin like a commit of this format");
        }
        long bytes = FRAME_HEADER + (in.get(INT, 4) & 0xffffffffL);
        if (bytes > objectBytes || bytes < FRAME_HEADER + FIXED_BYTES + 4) {
            throw new CorruptArchiveException(object, "it is cut off or its header has an impossible size");
        }
        return bytes;
    }

    /** Decodes a header; {@code bytes} holds at least the whole skippable frame. */
    public static CommitHeader decode(String object, byte[] bytes) throws IOException {
        int total = (int) frameBytes(object, bytes, bytes.length);
        MemorySegment in = MemorySegment.ofArray(bytes);
        if (in.get(INT, 8) != FORMAT_MAGIC) {
            throw new CorruptArchiveException(object, "it does not begin like a commit of this format");
        }
        if (in.get(INT, total - 4L) != crc(bytes, FRAME_HEADER, total - FRAME_HEADER - 4)) {
            throw new CorruptArchiveException(object, "the checksum of its header is wrong");
        }
        int versionAndKind = in.get(INT, 12);
        if ((versionAndKind & 0xffff) != FORMAT_VERSION) {
            throw new CorruptArchiveException(
                    object, "format version " + (versionAndKind & 0xffff) + " is newer than this program");
        }
        return new CommitHeader(
                versionAndKind >>> 16,
                in.get(LONG, 16),
                in.get(LONG, 24),
                Arrays.copyOfRange(bytes, 32, 48),
                Arrays.copyOfRange(bytes, 48, 64),
                Arrays.copyOfRange(bytes, 64, 96),
                records(object, bytes, in, total),
                sha256(bytes, FRAME_HEADER, total - FRAME_HEADER),
                total);
    }

    private static byte[] records(String object, byte[] bytes, MemorySegment in, int total) throws IOException {
        int size = in.get(INT, 100);
        int stored = in.get(INT, 104);
        if (size < 0 || size > MAX_RECORDS_BYTES || stored != total - FRAME_HEADER - FIXED_BYTES - 4) {
            throw new CorruptArchiveException(object, "its records have an impossible size");
        }
        byte[] records = new byte[size];
        try {
            long got = Zstd.decompressByteArray(records, 0, size, bytes, FRAME_HEADER + FIXED_BYTES, stored);
            if (got != size) {
                throw new CorruptArchiveException(object, "its records are shorter than declared");
            }
        } catch (ZstdException e) {
            throw new CorruptArchiveException(object, "its records cannot be decompressed");
        }
        return records;
    }

    private static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    private static byte[] sha256(byte[] bytes, int offset, int length) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes, offset, length);
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
