package io.chagres.archive.log;

import io.chagres.archive.LogRecord;
import io.chagres.archive.age.Age;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.CommitSeal;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.sign.HostSigner;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects one commit: records, and the bytes of runs in a region that callers read files straight into. Owns its
 * memory, takes it on demand and gives it back by {@link #trim}. Confined to one thread at a time; appending a run
 * allocates nothing while there is room.
 *
 * <pre>{@code
 * if (builder.reserve(length)) {
 *     long read = file.pread(builder.data(), builder.dataLength(), length, position);
 *     builder.appendRun(versionId, position, (int) read, crc, mtimeNs);
 * }
 * }</pre>
 */
public final class CommitBuilder implements AutoCloseable {
    private static final int FIRST_DATA_BYTES = 512 * 1024;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final int maxDataBytes;
    private final SeekableFrames frames;
    private final RecordWriter records = new RecordWriter();
    private final List<LogRecord.ObjectRun> objects = new ArrayList<>();
    private final Region data = new Region();
    private final Region out = new Region();
    private int dataLength;
    private @Nullable SealedCommit sealed;
    private @Nullable HostSigner signer;

    /**
     * Makes an empty builder.
     *
     * @param maxDataBytes how many bytes of runs, and about how many bytes of records, one commit takes at most; at
     *     least 256 KiB
     * @param level zstd level, 1 to 19
     */
    public CommitBuilder(int maxDataBytes, int level) {
        this.maxDataBytes = Math.max(maxDataBytes, SeekableFrames.FRAME_BYTES);
        frames = new SeekableFrames(level);
    }

    /** Native memory that grows; a buffer over the same memory serves what takes no segment. */
    private static final class Region {
        private @Nullable Arena arena; // none as long as nothing is held
        private MemorySegment memory = MemorySegment.NULL;
        private ByteBuffer bytes = ByteBuffer.allocateDirect(0);

        /** Makes room and keeps the first bytes. */
        void grow(long size, long kept) {
            Arena larger = Arena.ofShared();
            MemorySegment grown = larger.allocate(size, 64);
            MemorySegment.copy(memory, 0, grown, 0, kept);
            free();
            arena = larger;
            memory = grown;
            bytes = grown.asByteBuffer();
        }

        /** Makes room if there is too little. */
        void ensure(long size, long kept) {
            if (memory.byteSize() < size) {
                grow(size, kept);
            }
        }

        void free() {
            if (arena != null) {
                arena.close();
            }
            arena = null;
            memory = MemorySegment.NULL;
            bytes = ByteBuffer.allocateDirect(0);
        }
    }

    /** Says who signs what is sealed from now on; null for nobody. */
    void signedBy(@Nullable HostSigner by) {
        signer = by;
    }

    /** Returns the records; append to them. */
    public RecordWriter records() {
        return records;
    }

    /** Returns the region of the runs; owned by the builder, valid until {@link #reserve}, {@link #trim} or close. */
    public MemorySegment data() {
        return data.memory;
    }

    /** Returns the region of the runs as a buffer over the same memory, valid as long as {@link #data}. */
    public ByteBuffer dataBytes() {
        return data.bytes;
    }

    /** Returns how many bytes of the region are used; read the next run to this offset. */
    public int dataLength() {
        return dataLength;
    }

    /** Says whether nothing was appended. */
    public boolean isEmpty() {
        return records.count() == 0;
    }

    /** Says whether the commit should not wait any longer: a run of full size may not fit. */
    public boolean isFull() {
        return dataLength > maxDataBytes - SeekableFrames.FRAME_BYTES || recordsAreFull();
    }

    private boolean recordsAreFull() {
        return records.length() > maxDataBytes
                || records.count() > FixedHeader.MAX_RECORDS / 2
                || records.runBytes() > FixedHeader.MAX_RUN_BYTES / 4;
    }

    /**
     * Says whether no record should be added that can wait: not much more and no reader would take the commit. There is
     * room for 100,000 records more, for 8 MiB of them, and for copies of 32 GiB.
     */
    public boolean isCrowded() {
        return records.length() > FixedHeader.MAX_RECORDS_BYTES - (8 << 20)
                || records.count() > FixedHeader.MAX_RECORDS - 100_000
                || records.components() > FixedHeader.MAX_COMPONENTS / 2
                || records.runBytes() > FixedHeader.MAX_RUN_BYTES / 2;
    }

    /** Makes room for a run behind {@link #dataLength}; false when the commit is full. */
    public boolean reserve(int bytes) {
        if (dataLength + (long) bytes > maxDataBytes || recordsAreFull()) {
            return false;
        }
        long needed = dataLength + (long) bytes;
        if (needed > data.memory.byteSize()) {
            long doubled = Math.max(data.memory.byteSize() * 2, FIRST_DATA_BYTES);
            data.grow(Math.max(needed, Math.min(doubled, maxDataBytes)), dataLength);
        }
        return true;
    }

    /**
     * Appends the run whose bytes were put at {@link #dataLength}.
     *
     * @param start position in the version
     * @param length bytes, 1 to 256 KiB, reserved before
     * @param crc CRC32C of the bytes
     */
    public void appendRun(long versionId, long start, int length, int crc, long mtimeNs) {
        if (length < 1 || length > SeekableFrames.FRAME_BYTES || dataLength + (long) length > data.memory.byteSize()) {
            throw new IllegalArgumentException("a run of " + length + " bytes that were not reserved");
        }
        records.run(versionId, start, length, 0, dataLength, crc, mtimeNs);
        dataLength += length;
    }

    /** Appends the run that refers to a data object. */
    public void appendObject(LogRecord.ObjectRun run) {
        records.write(run);
        objects.add(run);
    }

    /** Returns the runs of data objects that were appended. */
    List<LogRecord.ObjectRun> objects() {
        return objects;
    }

    /**
     * Turns what was collected into the bytes of a commit; once, then append nothing until {@link #reset}.
     *
     * @param row the first of the commits up to this one whose times never go back
     * @param nonce 16 random bytes
     * @param predecessor the chain value of the commit before
     * @param keys to whom it is encrypted
     */
    public SealedCommit seal(
            long seq, long row, long timeMs, byte[] incarnation, byte[] nonce, byte[] predecessor, KeyRing keys) {
        if (sealed != null
                || records.length() > FixedHeader.MAX_RECORDS_BYTES
                || records.count() > FixedHeader.MAX_RECORDS) {
            throw new IllegalStateException(sealed != null ? "sealed already" : "too many records for one commit");
        }
        int dataFrames = SeekableFrames.framesOf(dataLength);
        long dataBound = (long) dataFrames * SeekableFrames.boundOf(SeekableFrames.FRAME_BYTES)
                + SeekableFrames.tableBytes(dataFrames);
        long bound = CommitHeader.RECORDS_START
                + SeekableFrames.boundOf(records.length())
                + CommitSeal.BYTES
                + CommitHeader.CRC_BYTES
                + dataBound;
        out.ensure(bound, 0);
        int recordsStored = encrypt(CommitHeader.RECORDS_START, storeRecords(), keys.records());
        HostSigner by = signer;
        int sealStart = CommitHeader.RECORDS_START + recordsStored;
        int crcStart = sealStart + (by == null ? 0 : CommitSeal.BYTES);
        int dataStart = crcStart + CommitHeader.CRC_BYTES;
        out.ensure(dataStart + dataBound, dataStart);
        int dataStored = encrypt(dataStart, storeData(dataStart), keys.bytes());
        FixedHeader fixed = new FixedHeader(
                FixedHeader.COMMIT,
                seq,
                timeMs,
                incarnation,
                nonce,
                predecessor,
                records.count(),
                records.length(),
                recordsStored,
                dataLength,
                dataStored,
                row,
                keys.encrypts() ? FixedHeader.AGE : FixedHeader.PLAIN,
                by == null ? FixedHeader.UNSIGNED : FixedHeader.ED25519);
        fixed.encode(out.memory, CommitHeader.PAYLOAD_START);
        out.memory.set(INT, 0, CommitHeader.FRAME_MAGIC);
        out.memory.set(INT, 4, dataStart - CommitHeader.PAYLOAD_START);
        if (by != null) {
            CommitSeal.write(
                    out.memory.asSlice(CommitHeader.PAYLOAD_START),
                    sealStart - CommitHeader.PAYLOAD_START,
                    out.memory.asSlice(dataStart, dataStored),
                    by,
                    seq);
        }
        out.memory.set(INT, crcStart, CommitHeader.crc(out.bytes, crcStart));
        sealed = new SealedCommit(
                fixed, CommitHeader.sha256(out.bytes, dataStart), out.memory.asSlice(0, (long) dataStart + dataStored));
        return sealed;
    }

    /**
     * Returns what a reader would read of a commit that is sealed, with a copy of its records.
     *
     * @param object its key
     */
    public CommitHeader header(String object) {
        SealedCommit of = Objects.requireNonNull(sealed, "not sealed");
        return CommitHeader.of(object, of.fixed(), Arrays.copyOf(records.array(), records.length()), of.chain());
    }

    private int storeRecords() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment plain = arena.allocate(Math.max(1, records.length()), 8);
            MemorySegment.copy(records.array(), 0, plain, ValueLayout.JAVA_BYTE, 0, records.length());
            return frames.compress(out.bytes, CommitHeader.RECORDS_START, plain.asByteBuffer(), 0, records.length());
        }
    }

    /** Encrypts what lies somewhere, in its place, and returns its size; nothing to nobody. */
    private int encrypt(int start, int length, List<AgeRecipient> recipients) {
        if (recipients.isEmpty() || length == 0) {
            return length;
        }
        byte[] file = Age.encrypt(recipients, out.memory.asSlice(start, length));
        out.ensure((long) start + file.length + CommitSeal.BYTES + CommitHeader.CRC_BYTES, start);
        MemorySegment.copy(file, 0, out.memory, ValueLayout.JAVA_BYTE, start, file.length);
        return file.length;
    }

    private int storeData(int start) {
        frames.reset();
        int at = start;
        for (int from = 0; from < dataLength; from += SeekableFrames.FRAME_BYTES) {
            at += frames.frame(
                    out.bytes, at, data.bytes, from, Math.min(SeekableFrames.FRAME_BYTES, dataLength - from));
        }
        return at + frames.table(out.memory, at) - start;
    }

    /** Returns the sealed bytes, or null while the builder is open. */
    @Nullable
    SealedCommit sealed() {
        return sealed;
    }

    /** Forgets everything that was appended; memory stays for the next commit. */
    public void reset() {
        records.reset();
        objects.clear();
        dataLength = 0;
        sealed = null;
    }

    /** Gives memory back that only a burst needed; does nothing unless the builder is empty. */
    public void trim() {
        if (!isEmpty()) {
            return;
        }
        records.trim();
        if (data.memory.byteSize() > FIRST_DATA_BYTES) {
            data.free();
        }
        if (out.memory.byteSize() > FIRST_DATA_BYTES) {
            out.free();
        }
    }

    @Override
    public void close() {
        frames.close();
        data.free();
        out.free();
    }
}
