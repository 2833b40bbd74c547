package io.chagres.archive.format;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.age.Age;
import io.chagres.archive.age.AgeException;
import io.chagres.archive.age.AgeIdentity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first part of a commit: who wrote it, when, after what, and its records. The bytes of the runs follow it in
 * the object, little endian:
 *
 * <pre>
 * u32 0x184D2A5C, u32 payload size        a skippable zstd frame; its payload:
 *   128 B fixed header                      {@link FixedHeader}
 *   records                                 one zstd frame, in the age format where the header says so
 *   seal                                    {@link CommitSeal}, where the header says so
 *   u32 CRC32C of the payload before it
 * data area                               {@link SeekableFrames}, encrypted like it; nothing when there are no runs
 * </pre>
 *
 * Immutable; arrays are not copied and must not be changed.
 */
public final class CommitHeader {
    public static final int FRAME_MAGIC = 0x184D2A5C;
    public static final int PAYLOAD_START = 8;
    public static final int RECORDS_START = PAYLOAD_START + FixedHeader.BYTES;
    public static final int CRC_BYTES = 4;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final String object;
    private final FixedHeader fixed;
    private final byte @Nullable [] records;
    private final @Nullable EncryptedException sealed;
    private final byte[] chain;
    private final @Nullable CommitSeal seal;

    private CommitHeader(
            String object,
            FixedHeader fixed,
            byte @Nullable [] records,
            @Nullable EncryptedException sealed,
            byte[] chain,
            @Nullable CommitSeal seal) {
        this.object = object;
        this.fixed = fixed;
        this.records = records;
        this.sealed = sealed;
        this.chain = chain;
        this.seal = seal;
    }

    /**
     * Makes the header of a commit of what its writer has.
     *
     * @param records kept
     * @param chain kept
     */
    public static CommitHeader of(String object, FixedHeader fixed, byte[] records, byte[] chain) {
        return new CommitHeader(object, fixed, records, null, chain, null);
    }

    /**
     * Decodes the header of a commit.
     *
     * @param object the key, for messages
     * @param bytes native memory with at least {@link #neededBytes} from the start of the object; not kept
     * @param objectBytes size of the whole object, or -1 when it is not known and not checked
     * @param identities open records that are encrypted; where none does, the rest of the header can be read
     * @throws CorruptArchiveException when the bytes are not those of a whole, undamaged commit
     */
    public static CommitHeader decode(
            String object,
            MemorySegment bytes,
            long objectBytes,
            ZstdDecompressCtx context,
            List<AgeIdentity> identities)
            throws CorruptArchiveException {
        long end = neededBytes(object, bytes);
        if (end > bytes.byteSize()) {
            throw new CorruptArchiveException(object, "it is cut off");
        }
        long crcAt = end - CRC_BYTES;
        ByteBuffer buffer = bytes.asByteBuffer();
        if (bytes.get(INT, crcAt) != crc(buffer, (int) crcAt)) {
            throw new CorruptArchiveException(object, "the checksum of its records is wrong");
        }
        FixedHeader fixed = FixedHeader.decode(object, bytes, PAYLOAD_START, FixedHeader.COMMIT);
        long recordsEnd = RECORDS_START + (long) fixed.recordsStored();
        if (recordsEnd + fixed.sealBytes() != crcAt) {
            throw new CorruptArchiveException(object, "its records do not have the size its header declares");
        }
        if (objectBytes >= 0 && objectBytes != end + fixed.dataStored()) {
            throw new CorruptArchiveException(
                    object, "it has " + objectBytes + " bytes instead of " + (end + fixed.dataStored()));
        }
        byte[] chain = sha256(buffer, (int) end);
        CommitSeal seal = fixed.signature() == FixedHeader.UNSIGNED
                ? null
                : CommitSeal.decode(bytes.asSlice(PAYLOAD_START), recordsEnd - PAYLOAD_START);
        if (fixed.protection() == FixedHeader.PLAIN) {
            byte[] records = decompressed(object, buffer, RECORDS_START, fixed.recordsStored(), fixed, context);
            return new CommitHeader(object, fixed, records, null, chain, seal);
        }
        try {
            byte[] plain = decrypted(object, bytes.asSlice(RECORDS_START, fixed.recordsStored()), identities);
            ByteBuffer frame = ByteBuffer.allocateDirect(plain.length).put(plain);
            byte[] records = decompressed(object, frame, 0, plain.length, fixed, context);
            return new CommitHeader(object, fixed, records, null, chain, seal);
        } catch (EncryptedException e) {
            return new CommitHeader(object, fixed, null, e, chain, seal);
        }
    }

    /** Returns how many bytes from the start of a commit decoding needs; its first 8 bytes say so. */
    public static long neededBytes(String object, MemorySegment start) throws CorruptArchiveException {
        if (start.byteSize() < PAYLOAD_START || start.get(INT, 0) != FRAME_MAGIC) {
            throw new CorruptArchiveException(object, "it does not begin like a commit");
        }
        long needed = PAYLOAD_START + (start.get(INT, 4) & 0xffffffffL);
        long most = RECORDS_START + (long) FixedHeader.MAX_STORED_RECORDS_BYTES + CommitSeal.BYTES + CRC_BYTES;
        if (needed < RECORDS_START + CRC_BYTES || needed > most) {
            throw new CorruptArchiveException(object, "it declares an impossible size");
        }
        return needed;
    }

    private static byte[] decrypted(String object, MemorySegment stored, List<AgeIdentity> identities)
            throws CorruptArchiveException, EncryptedException {
        try {
            return Age.decrypt(identities, stored.toArray(ValueLayout.JAVA_BYTE));
        } catch (AgeException e) {
            if (e.fault() == AgeException.Fault.NO_MATCH) {
                throw new EncryptedException(object, e.recipients(), identities.size());
            }
            throw new CorruptArchiveException(object, String.valueOf(e.getMessage()));
        }
    }

    private static byte[] decompressed(
            String object, ByteBuffer bytes, int start, int length, FixedHeader fixed, ZstdDecompressCtx context)
            throws CorruptArchiveException {
        byte[] records = new byte[fixed.recordsLength()];
        int got;
        try {
            got = context.decompressDirectByteBufferToByteArray(records, 0, records.length, bytes, start, length);
        } catch (ZstdException e) {
            throw new CorruptArchiveException(object, "its records cannot be decompressed");
        }
        if (got != records.length) {
            throw new CorruptArchiveException(object, "its records are shorter than declared");
        }
        return records;
    }

    /** Returns the checksum of a payload, of what lies before an offset of the object. */
    public static int crc(ByteBuffer object, int end) {
        CRC32C crc = new CRC32C();
        crc.update(object.slice(PAYLOAD_START, end - PAYLOAD_START));
        return (int) crc.getValue();
    }

    /** Returns the chain value of a commit whose payload ends before an offset of the object. */
    public static byte[] sha256(ByteBuffer object, int end) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(object.slice(PAYLOAD_START, end - PAYLOAD_START));
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the key of the object. */
    public String object() {
        return object;
    }

    /** Returns the number of the commit, 1 for the first. */
    public long seq() {
        return fixed.seq();
    }

    /** Returns the writer's wall clock when the commit was cut, milliseconds since 1970. */
    public long timeMs() {
        return fixed.timeMs();
    }

    /** Returns the number of the first of the commits up to this one whose times never go back. */
    public long row() {
        return fixed.row();
    }

    /** Returns the run of the writer, 16 bytes. */
    public byte[] incarnation() {
        return fixed.incarnation();
    }

    /** Returns 16 bytes by which a writer recognizes its own commit. */
    public byte[] nonce() {
        return fixed.nonce();
    }

    /** Returns the chain value of the commit before, 32 bytes; zeros in the first. */
    public byte[] predecessor() {
        return fixed.chain();
    }

    /** Returns the number of records the writer counted. */
    public int recordCount() {
        return fixed.recordCount();
    }

    /** Returns how many bytes the records have. */
    public int recordsLength() {
        return fixed.recordsLength();
    }

    /** Returns a reader of the records, from the first; they must have been opened. */
    public RecordReader recordReader() {
        return new RecordReader(object, records(), 0, records().length);
    }

    /** Returns the encoded records; they must have been opened. */
    public byte[] records() {
        return Objects.requireNonNull(records, "encrypted records");
    }

    /**
     * Demands that the records can be read.
     *
     * @throws EncryptedException when no identity opened them
     */
    public void requireRecords() throws EncryptedException {
        if (sealed != null) {
            throw sealed;
        }
    }

    /** Says whether the records can be read. */
    public boolean hasRecords() {
        return records != null;
    }

    /** Says whether records and data area are encrypted. */
    public boolean isEncrypted() {
        return fixed.protection() != FixedHeader.PLAIN;
    }

    /** Returns what the next commit names as its predecessor: the SHA-256 of the payload, 32 bytes. */
    public byte[] chain() {
        return chain;
    }

    /** Returns what somebody signed, or null; of a commit that was read. */
    public @Nullable CommitSeal seal() {
        return seal;
    }

    /** Returns where in the object the data area begins. */
    public long headerBytes() {
        return RECORDS_START + (long) fixed.recordsStored() + fixed.sealBytes() + CRC_BYTES;
    }

    /** Returns the uncompressed bytes of the data area. */
    public int dataBytes() {
        return fixed.dataLength();
    }

    /** Returns the size the whole object must have. */
    public long objectBytes() {
        return headerBytes() + fixed.dataStored();
    }
}
