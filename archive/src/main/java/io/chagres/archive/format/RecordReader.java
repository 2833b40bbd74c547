package io.chagres.archive.format;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.FileKey;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.archive.sign.Sha256;
import java.util.Set;

/**
 * Decodes records one by one; the reverse of {@link RecordWriter}. The bytes are not trusted: no length, count or range
 * is believed, and a field beyond the limits of docs/FORMAT.md is refused here, before anything counts on it. Nothing
 * here knows whether an extent's bytes are where it says. A reader of the bytes finds out, so that a fault in one
 * version leaves the others readable. Confined to one thread.
 */
public final class RecordReader {
    private static final LogRecord.Kind[] KINDS = LogRecord.Kind.values();
    private static final LogRecord.Reason[] REASONS = LogRecord.Reason.values();
    private static final Codec[] CODECS = Codec.values();
    private static final Set<String> DERIVED_CODECS = Set.of("gz", "zst", "xz", "bz2");
    private static final int INCARNATION_BYTES = 16;

    private final RecordInput in;
    private long runBytes;

    /**
     * Makes a reader.
     *
     * @param object the key the bytes come from, for messages
     * @param bytes holds the records; not copied
     * @param offset where they begin
     * @param length bytes of all records
     */
    public RecordReader(String object, byte[] bytes, int offset, int length) {
        in = new RecordInput(object, bytes, offset, length);
    }

    /** Returns the offset of the next record in the bytes. */
    public int position() {
        return in.position();
    }

    /** Says whether there is another record. */
    public boolean hasNext() {
        return in.remaining() > 0;
    }

    /**
     * Decodes the next record.
     *
     * @throws CorruptArchiveException when its bytes are not what a writer makes
     */
    public LogRecord next() throws CorruptArchiveException {
        int kind = in.u8();
        return switch (kind) {
            case RecordWriter.INCARNATION_OPENED -> incarnationOpened();
            case RecordWriter.INCARNATION_CLOSED -> new LogRecord.IncarnationClosed(in.bool());
            case RecordWriter.RECIPIENTS -> new LogRecord.Recipients(recipients(), recipients());
            case RecordWriter.OBJECT_DIGEST -> objectDigest();
            case RecordWriter.NAME_ADDED ->
                new LogRecord.NameAdded(in.path(), in.oneOf(KINDS), in.natural(), in.path(), in.attributes());
            case RecordWriter.NAME_REMOVED -> new LogRecord.NameRemoved(in.path(), in.bool());
            case RecordWriter.NAME_MOVED -> new LogRecord.NameMoved(in.path(), in.path());
            case RecordWriter.VERSION_OPENED -> versionOpened();
            case RecordWriter.VERSION_CLOSED -> new LogRecord.VersionClosed(in.positive(), in.oneOf(REASONS));
            case RecordWriter.ATTRIBUTES_CHANGED ->
                new LogRecord.AttributesChanged(in.natural(), in.path(), in.attributes());
            case RecordWriter.DERIVED -> derived();
            case RecordWriter.VERSION_TIMES ->
                new LogRecord.VersionTimes(in.positive(), in.zigzag(), in.zigzag(), in.path());
            case RecordWriter.RETENTION -> new LogRecord.Retention(in.positive(), in.zigzag());
            case RecordWriter.VERSION_RETENTION ->
                new LogRecord.VersionRetention(in.positive(), in.natural(), in.zigzag(), in.zigzag());
            case RecordWriter.VERSION_LENGTH ->
                new LogRecord.VersionLength(in.positive(), in.natural(), in.zigzag(), in.natural(), in.natural());
            case RecordWriter.MOMENT -> new LogRecord.Moment(in.positive(), in.zigzag());
            case RecordWriter.VERSION_NAMES -> new LogRecord.VersionNames(in.positive(), in.natural());
            case RecordWriter.REPEATED -> new LogRecord.Repeated(in.positive(), in.zigzag(), in.block());
            case RecordWriter.RUN,
                    RecordWriter.OBJECT_RUN,
                    RecordWriter.ZERO_RUN,
                    RecordWriter.COPY_RUN,
                    RecordWriter.PACKED_RUN -> extent(kind);
            default -> throw in.corrupt("record kind " + kind + " is not known to this program");
        };
    }

    /**
     * Passes over the next record. It only looks for the record's end where that is faster than to decode it.
     *
     * @return whether it opens a version
     * @throws CorruptArchiveException when it has no end
     */
    public boolean skip() throws CorruptArchiveException {
        int kind = in.peek();
        String fields = RecordColumns.fields(kind);
        if (fields == null || kind == RecordWriter.OBJECT_RUN) {
            next();
        } else {
            in.skip(1);
            in.skip(fields);
        }
        return kind == RecordWriter.VERSION_OPENED;
    }

    private String recipients() throws CorruptArchiveException {
        String text = in.text();
        try {
            AgeRecipient.list(text);
        } catch (IllegalArgumentException e) {
            throw in.corrupt("it names a recipient that is none");
        }
        return text;
    }

    private LogRecord incarnationOpened() throws CorruptArchiveException {
        byte[] incarnation = in.block();
        if (incarnation.length != INCARNATION_BYTES) {
            throw in.corrupt("an incarnation has " + incarnation.length + " bytes");
        }
        return new LogRecord.IncarnationOpened(
                incarnation, in.text(), in.text(), in.text(), in.text(), in.varint(), in.text(), in.zigzag());
    }

    private LogRecord objectDigest() throws CorruptArchiveException {
        LogRecord.ObjectDigest digest = new LogRecord.ObjectDigest(in.positive(), in.i64(), in.block());
        if (digest.sha256().length != Sha256.BYTES) {
            throw in.corrupt("a digest has " + digest.sha256().length + " bytes");
        }
        return digest;
    }

    private LogRecord derived() throws CorruptArchiveException {
        LogRecord.Derived derived = new LogRecord.Derived(in.positive(), in.positive(), in.text());
        if (!DERIVED_CODECS.contains(derived.codec())) {
            throw in.corrupt("a way of compressing is not known to this program");
        }
        return derived;
    }

    private LogRecord versionOpened() throws CorruptArchiveException {
        long versionId = in.positive();
        if (LogRecord.CopyRun.isLost(versionId)) {
            throw in.corrupt("it opens the version that stands for lost bytes");
        }
        return new LogRecord.VersionOpened(
                versionId,
                new FileKey(in.i64(), in.i64(), in.varint(), in.varint()),
                in.natural(),
                in.natural(),
                in.path(),
                in.attributes());
    }

    private LogRecord extent(int kind) throws CorruptArchiveException {
        long versionId = in.positive();
        long start = in.natural();
        long length = in.positive();
        if (start + length < 0) {
            throw in.corrupt("an extent ends out of range");
        }
        return switch (kind) {
            case RecordWriter.RUN -> run(versionId, start, length);
            case RecordWriter.OBJECT_RUN -> objectRun(versionId, start, length);
            case RecordWriter.ZERO_RUN -> new LogRecord.ZeroRun(versionId, start, length, in.zigzag());
            case RecordWriter.PACKED_RUN -> packedRun(versionId, start, length);
            default -> copyRun(versionId, start, length);
        };
    }

    private LogRecord run(long versionId, long start, long length) throws CorruptArchiveException {
        requirePiece(length);
        long seq = in.natural();
        long dataOffset = in.natural();
        if (seq > ArchiveLayout.MAX_NUMBER) {
            throw in.corrupt("a run lies in a commit with an impossible number");
        }
        if (dataOffset > FixedHeader.MAX_DATA_BYTES - length) {
            throw in.corrupt("a run ends behind every data area");
        }
        return new LogRecord.Run(versionId, start, length, seq, dataOffset, in.i32(), in.zigzag());
    }

    private LogRecord packedRun(long versionId, long start, long length) throws CorruptArchiveException {
        requirePiece(length);
        long unique = in.i64();
        long packLength = in.positive();
        long dataOffset = in.natural();
        if (packLength > FixedHeader.MAX_DATA_BYTES || dataOffset > packLength - length) {
            throw in.corrupt("a run ends behind its pack");
        }
        return new LogRecord.PackedRun(versionId, start, length, unique, packLength, dataOffset, in.i32(), in.zigzag());
    }

    /** Refuses what one checksum does not cover, and more of it than a commit may have. */
    private void requirePiece(long length) throws CorruptArchiveException {
        if (length > LogRecord.PIECE_BYTES) {
            throw in.corrupt("a run of " + length + " bytes is longer than 256 KiB");
        }
        runBytes += length;
        if (runBytes > FixedHeader.MAX_RUN_BYTES) {
            throw in.corrupt("its runs and copies stand for more than " + FixedHeader.MAX_RUN_BYTES + " bytes");
        }
    }

    private LogRecord objectRun(long versionId, long start, long length) throws CorruptArchiveException {
        if (start + length > ArchiveLayout.MAX_NUMBER) {
            throw in.corrupt("a data object ends at an impossible position");
        }
        long unique = in.i64();
        long objectLength = in.positive();
        Codec codec = in.oneOf(CODECS);
        long pieces = (length - 1) / LogRecord.PIECE_BYTES + 1;
        return new LogRecord.ObjectRun(
                versionId, start, length, unique, objectLength, codec, in.checksums(pieces), in.zigzag());
    }

    private LogRecord copyRun(long versionId, long start, long length) throws CorruptArchiveException {
        long sourceVersion = in.positive();
        if (!LogRecord.CopyRun.isLost(sourceVersion)) {
            requirePiece(length);
        }
        long sourceStart = in.natural();
        if (sourceVersion == versionId && sourceStart + length > start) {
            throw in.corrupt("version " + versionId + " copies bytes of its own that do not come before");
        }
        if (sourceStart + length < 0) {
            throw in.corrupt("a copy is of bytes that end out of range");
        }
        return new LogRecord.CopyRun(versionId, start, length, sourceVersion, sourceStart, in.i32(), in.zigzag());
    }
}
