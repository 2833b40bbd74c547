package io.chagres.archive.format;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.sign.Sha256;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The fixed part at the start of a commit's payload, or of the content of what a log was condensed into. Little
 * endian:
 *
 * <pre>
 *   0 u32 magic "CHGC"            4 u16 format version 3     6 u16 kind
 *   8 u64 seq                    16 i64 time, ms since 1970
 *  24 16 B incarnation           40 16 B nonce: random, or of the key
 *  56 32 B chain: of a commit that of its predecessor (zeros for seq 1), of a checkpoint that of commit seq
 *  88 u32 number of records      92 u32 size of the records   96 u32 stored size of the records
 * 100 u32 size of the data area 104 u32 stored size of the data area with its seek table
 * 108 u64 first commit of the row
 * 116 u8 protection, 0 none, 1 age   117 u8 signature, 0 none, 1 Ed25519   118 10 B zeros
 * </pre>
 *
 * The five sizes are 0 in all but a commit: there the records follow as a stream. Only a commit says that it is
 * protected: what else there is, is encrypted whole. Immutable; arrays are not copied.
 *
 * @param kind {@link #COMMIT}, {@link #CHECKPOINT}, {@link #HISTORY} or {@link #TABLE}
 * @param seq number of the commit, 1 for the first; of a checkpoint the commit whose state it holds
 * @param timeMs the writer's wall clock when it was cut
 * @param incarnation 16 bytes that name the run of the writer
 * @param nonce 16 random bytes by which a writer recognizes its own commit; of what is stored under another key the
 *     first bytes of the SHA-256 of that, so that it is not taken for what another key names; zeros in a local table
 * @param chain see above
 * @param recordCount number of records
 * @param recordsLength bytes of all records
 * @param recordsStored bytes of the zstd frame that holds them
 * @param dataLength bytes of the data area
 * @param dataStored bytes of the frames and the seek table of the data area
 * @param row number of the first of the commits up to this one whose times never go back; a search for a time halves
 *     within such rows only
 * @param protection {@link #PLAIN} or {@link #AGE}: how the records and the data area of a commit are stored
 * @param signature {@link #UNSIGNED} or {@link #ED25519}: what follows the records of a commit
 */
public record FixedHeader(
        int kind,
        long seq,
        long timeMs,
        byte[] incarnation,
        byte[] nonce,
        byte[] chain,
        int recordCount,
        int recordsLength,
        int recordsStored,
        int dataLength,
        int dataStored,
        long row,
        int protection,
        int signature) {
    /** Kind of a commit. */
    public static final int COMMIT = 0;

    /** Kind of a checkpoint. */
    public static final int CHECKPOINT = 1;

    /** Kind of what names and lengths were after each of some commits. */
    public static final int HISTORY = 2;

    /** Kind of a table of what some commits changed. */
    public static final int TABLE = 3;

    /** Everything is stored as it is. */
    public static final int PLAIN = 0;

    /** Records and data area are a file in the age format each. */
    public static final int AGE = 1;

    /** Nobody signed it. */
    public static final int UNSIGNED = 0;

    /** Digest, key and signature follow the records. */
    public static final int ED25519 = 1;

    public static final int BYTES = 128;
    public static final int ID_BYTES = 16;
    public static final int CHAIN_BYTES = 32;

    /** Records of one commit, uncompressed. */
    public static final int MAX_RECORDS_BYTES = 32 << 20;

    /** Records of one commit. */
    public static final int MAX_RECORDS = 1 << 20;

    /** Most slashes in all paths of a commit together: each may become a directory. */
    public static final int MAX_COMPONENTS = 1 << 22;

    /** Most bytes that the runs and copies of a commit stand for: few records can stand for more than any disk has. */
    public static final long MAX_RUN_BYTES = 64L << 30;

    /** Records of one commit as they are stored: they may not compress, and grow a little where they are encrypted. */
    static final int MAX_STORED_RECORDS_BYTES = SeekableFrames.boundOf(MAX_RECORDS_BYTES) + (1 << 20);

    /** Where the header says how a commit is protected. */
    public static final int PROTECTION = 116;

    private static final int SIGNATURE = PROTECTION + 1;
    private static final int MAGIC = 0x43474843;
    private static final int FORMAT_VERSION = 3;
    static final int MAX_DATA_BYTES = 1 << 30;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Returns the header of what commits up to one were condensed into. */
    public static FixedHeader condensed(int kind, long seq, long row, long timeMs, byte[] incarnation, byte[] chain) {
        byte[] nonce = new byte[ID_BYTES];
        return new FixedHeader(kind, seq, timeMs, incarnation, nonce, chain, 0, 0, 0, 0, 0, row, PLAIN, UNSIGNED);
    }

    /** Returns the header of the same in a store. */
    public FixedHeader under(String key) {
        return new FixedHeader(
                kind,
                seq,
                timeMs,
                incarnation,
                nonceOf(key),
                chain,
                recordCount,
                recordsLength,
                recordsStored,
                dataLength,
                dataStored,
                row,
                protection,
                signature);
    }

    private static byte[] nonceOf(String key) {
        return Arrays.copyOf(Sha256.of(MemorySegment.ofArray(key.getBytes(StandardCharsets.UTF_8))), ID_BYTES);
    }

    /** Returns the header of a checkpoint of the same moment. */
    public FixedHeader asCheckpoint() {
        return condensed(CHECKPOINT, seq, row, timeMs, incarnation, chain);
    }

    /** Returns how many bytes follow the records before their checksum. */
    int sealBytes() {
        return signature == ED25519 ? CommitSeal.BYTES : 0;
    }

    /** Writes the header, {@link #BYTES} long, at an offset. */
    public void encode(MemorySegment target, long offset) {
        MemorySegment out = target.asSlice(offset, BYTES);
        out.set(INT, 0, MAGIC);
        out.set(SHORT, 4, (short) FORMAT_VERSION);
        out.set(SHORT, 6, (short) kind);
        out.set(LONG, 8, seq);
        out.set(LONG, 16, timeMs);
        MemorySegment.copy(incarnation, 0, out, ValueLayout.JAVA_BYTE, 24, ID_BYTES);
        MemorySegment.copy(nonce, 0, out, ValueLayout.JAVA_BYTE, 40, ID_BYTES);
        MemorySegment.copy(chain, 0, out, ValueLayout.JAVA_BYTE, 56, CHAIN_BYTES);
        out.set(INT, 88, recordCount);
        out.set(INT, 92, recordsLength);
        out.set(INT, 96, recordsStored);
        out.set(INT, 100, dataLength);
        out.set(INT, 104, dataStored);
        out.set(LONG, 108, row);
        out.asSlice(PROTECTION).fill((byte) 0);
        out.set(ValueLayout.JAVA_BYTE, PROTECTION, (byte) protection);
        out.set(ValueLayout.JAVA_BYTE, SIGNATURE, (byte) signature);
    }

    /**
     * Decodes and checks a header.
     *
     * @param object the key, for messages
     * @param source holds at least the fixed part from the offset
     * @param kind the kind it must be of
     */
    public static FixedHeader decode(String object, MemorySegment source, long offset, int kind)
            throws CorruptArchiveException {
        MemorySegment in = source.asSlice(offset, BYTES);
        if (in.get(INT, 0) != MAGIC) {
            throw new CorruptArchiveException(object, "it does not begin like an object of a Chagres log");
        }
        int version = in.get(SHORT, 4) & 0xffff;
        if (version != FORMAT_VERSION) {
            throw new CorruptArchiveException(
                    object,
                    "it has format version " + version + ", this program knows " + FORMAT_VERSION
                            + (version < FORMAT_VERSION
                                    ? "; earlier ones were never released: ship the files into a new archive"
                                    : ""));
        }
        FixedHeader header = new FixedHeader(
                in.get(SHORT, 6) & 0xffff,
                in.get(LONG, 8),
                in.get(LONG, 16),
                bytes(in, 24, ID_BYTES),
                bytes(in, 40, ID_BYTES),
                bytes(in, 56, CHAIN_BYTES),
                in.get(INT, 88),
                in.get(INT, 92),
                in.get(INT, 96),
                in.get(INT, 100),
                in.get(INT, 104),
                in.get(LONG, 108),
                in.get(ValueLayout.JAVA_BYTE, PROTECTION),
                in.get(ValueLayout.JAVA_BYTE, SIGNATURE));
        header.check(object, kind);
        if (kind != COMMIT && object.startsWith(ArchiveLayout.HOSTS)) {
            header.checkKey(object);
        }
        for (long at = PROTECTION; at < BYTES; at++) {
            boolean known = kind == COMMIT
                    && ((at == PROTECTION && header.protection == AGE)
                            || (at == SIGNATURE && header.signature == ED25519));
            if (in.get(ValueLayout.JAVA_BYTE, at) != 0 && !known) {
                throw new CorruptArchiveException(
                        object, "it is protected or signed in a way that is not known to this program");
            }
        }
        return header;
    }

    private static byte[] bytes(MemorySegment in, long offset, int length) {
        return in.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private void checkKey(String object) throws CorruptArchiveException {
        if (Arrays.equals(nonce, new byte[ID_BYTES])) {
            throw new CorruptArchiveException(
                    object, "an earlier build wrote it, which was never released: ship the files into a new archive");
        }
        if (!Arrays.equals(nonce, nonceOf(object))) {
            throw new CorruptArchiveException(object, "it was put under another key");
        }
    }

    private void check(String object, int expectedKind) throws CorruptArchiveException {
        boolean sizesPossible = recordCount >= 0
                && recordCount <= MAX_RECORDS
                && recordsLength >= recordCount
                && recordsLength <= MAX_RECORDS_BYTES
                && recordsStored >= 0
                && recordsStored <= MAX_STORED_RECORDS_BYTES
                && dataLength >= 0
                && dataLength <= MAX_DATA_BYTES
                && dataStored >= 0
                && (dataLength == 0) == (dataStored == 0);
        if (kind != expectedKind || seq < 1 || row < 1 || row > seq || !sizesPossible) {
            throw new CorruptArchiveException(object, "its header has impossible values");
        }
    }
}
