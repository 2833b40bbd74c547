package io.chagres.archive.format;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes records into a growing array: one byte for the kind, then the fields as varints, little-endian words and byte
 * strings with their length before them. The byte tables are in docs/FORMAT.md. Confined to one thread; allocates
 * nothing per record while the array has room, but for the texts of an incarnation.
 */
public final class RecordWriter {
    static final int INCARNATION_OPENED = 1;
    static final int INCARNATION_CLOSED = 2;
    static final int NAME_ADDED = 3;
    static final int NAME_REMOVED = 4;
    static final int NAME_MOVED = 5;
    static final int VERSION_OPENED = 6;
    static final int VERSION_CLOSED = 7;
    static final int ATTRIBUTES_CHANGED = 8;
    static final int DERIVED = 9;
    static final int VERSION_TIMES = 10;
    static final int RETENTION = 11;
    static final int VERSION_RETENTION = 12;
    static final int VERSION_LENGTH = 13;
    static final int MOMENT = 14;
    static final int REPEATED = 15;
    static final int RUN = 16;
    static final int OBJECT_RUN = 17;
    static final int ZERO_RUN = 18;
    static final int COPY_RUN = 19;
    static final int PACKED_RUN = 20;
    static final int RECIPIENTS = 22;
    static final int OBJECT_DIGEST = 23;
    static final int VERSION_NAMES = 24;

    /** Longest text, and the records of a commit that another repeats. */
    public static final int MAX_BLOCK_BYTES = 32 * 1024;

    /** Longest path: more than the kernel takes, so that nothing real is refused. */
    public static final int MAX_PATH_BYTES = 8 * 1024;

    /** Most checksums of one data object. */
    static final int MAX_CHECKSUMS = 16 * 1024;

    private static final int FIRST_BYTES = 1024;
    private static final int KEPT_BYTES = 64 * 1024;
    private static final int VARINT_BYTES = 10;

    private byte[] bytes;
    private int length;
    private int count;
    private int components;
    private long runBytes;
    private int usedBytes;

    /** Makes an empty writer. */
    public RecordWriter() {
        this(FIRST_BYTES);
    }

    /** Makes an empty writer with room for some bytes. */
    RecordWriter(int firstBytes) {
        bytes = new byte[firstBytes];
    }

    /** Returns the number of records. */
    public int count() {
        return count;
    }

    /** Returns the slashes in all paths; see {@link FixedHeader#MAX_COMPONENTS}. */
    public int components() {
        return components;
    }

    /** Returns the bytes that runs and copies stand for; see {@link FixedHeader#MAX_RUN_BYTES}. */
    public long runBytes() {
        return runBytes;
    }

    /** Returns the bytes used. */
    public int length() {
        return length;
    }

    /** Returns the array that holds the records from its start; not a copy, valid until the next record. */
    public byte[] array() {
        return bytes;
    }

    /** Forgets all records and keeps the array. */
    public void reset() {
        usedBytes = Math.max(usedBytes, length);
        length = 0;
        count = 0;
        components = 0;
        runBytes = 0;
    }

    /** Gives a large array back when there are no records and little of it was used since the last call. */
    public void trim() {
        if (length == 0) {
            if (bytes.length > KEPT_BYTES && usedBytes < bytes.length / 4) {
                bytes = new byte[FIRST_BYTES];
            }
            usedBytes = 0;
        }
    }

    /**
     * Appends any record.
     *
     * @throws IllegalArgumentException for a text of more than 32 KiB or a data object of more than 4 GiB
     */
    public void write(LogRecord record) {
        switch (record) {
            case LogRecord.IncarnationOpened r -> incarnationOpened(r);
            case LogRecord.IncarnationClosed r -> begin(INCARNATION_CLOSED).bool(r.drained());
            case LogRecord.Recipients r -> begin(RECIPIENTS).text(r.bytes()).text(r.own());
            case LogRecord.ObjectDigest r ->
                begin(OBJECT_DIGEST).varint(r.versionId()).i64(r.unique()).block(r.sha256());
            case LogRecord.NameAdded r -> nameAdded(r);
            case LogRecord.NameRemoved r -> begin(NAME_REMOVED).path(r.path()).bool(r.movedOut());
            case LogRecord.NameMoved r -> begin(NAME_MOVED).path(r.from()).path(r.to());
            case LogRecord.VersionOpened r -> versionOpened(r);
            case LogRecord.VersionClosed r ->
                begin(VERSION_CLOSED).varint(r.versionId()).u8(r.reason().ordinal());
            case LogRecord.AttributesChanged r ->
                begin(ATTRIBUTES_CHANGED).varint(r.versionId()).path(r.path()).attributes(r.attributes());
            case LogRecord.Derived r ->
                begin(DERIVED).varint(r.versionId()).varint(r.fromVersion()).text(r.codec());
            case LogRecord.VersionTimes r -> versionTimes(r);
            case LogRecord.Retention r ->
                begin(RETENTION).varint(r.nextVersionId()).zigzag(r.horizonMs());
            case LogRecord.VersionRetention r -> versionRetention(r);
            case LogRecord.VersionLength r ->
                begin(VERSION_LENGTH)
                        .varint(r.versionId())
                        .varint(r.length())
                        .zigzag(r.mtimeNs())
                        .varint(r.firstSeq())
                        .varint(r.lastSeq());
            case LogRecord.Moment r -> begin(MOMENT).varint(r.seq()).zigzag(r.timeMs());
            case LogRecord.VersionNames r ->
                begin(VERSION_NAMES).varint(r.versionId()).varint(r.names());
            case LogRecord.Repeated r ->
                begin(REPEATED).varint(r.seq()).zigzag(r.timeMs()).block(r.records());
            case LogRecord.Run r ->
                run(r.versionId(), r.start(), r.length(), r.seq(), r.dataOffset(), r.crc(), r.mtimeNs());
            case LogRecord.ObjectRun r -> objectRun(r);
            case LogRecord.ZeroRun r -> zeroRun(r.versionId(), r.start(), r.length(), r.mtimeNs());
            case LogRecord.CopyRun r -> copyRun(r);
            case LogRecord.PackedRun r -> packedRun(r);
        }
    }

    /** Appends a {@link LogRecord.Run} given by its fields. */
    public void run(long versionId, long start, long runLength, long seq, long dataOffset, int crc, long mtimeNs) {
        extent(RUN, versionId, start, runLength)
                .varint(seq)
                .varint(dataOffset)
                .i32(crc)
                .zigzag(mtimeNs);
    }

    /** Appends a {@link LogRecord.ZeroRun} given by its fields. */
    public void zeroRun(long versionId, long start, long runLength, long mtimeNs) {
        extent(ZERO_RUN, versionId, start, runLength).zigzag(mtimeNs);
    }

    private void incarnationOpened(LogRecord.IncarnationOpened r) {
        begin(INCARNATION_OPENED)
                .block(r.incarnation())
                .text(r.hostName())
                .text(r.machineId())
                .text(r.productUuid())
                .text(r.bootId())
                .varint(r.pid())
                .text(r.version())
                .zigzag(r.timeMs());
    }

    private void nameAdded(LogRecord.NameAdded r) {
        begin(NAME_ADDED)
                .path(r.path())
                .u8(r.kind().ordinal())
                .varint(r.versionId())
                .path(r.target())
                .attributes(r.attributes());
    }

    private void versionOpened(LogRecord.VersionOpened r) {
        begin(VERSION_OPENED)
                .varint(r.versionId())
                .i64(r.key().fsHigh())
                .i64(r.key().fsLow())
                .varint(r.key().inode())
                .varint(r.key().generation())
                .varint(r.previousVersion())
                .varint(r.startPosition())
                .path(r.path())
                .attributes(r.attributes());
    }

    private void versionTimes(LogRecord.VersionTimes r) {
        begin(VERSION_TIMES)
                .varint(r.versionId())
                .zigzag(r.openedMs())
                .zigzag(r.changedMs())
                .path(r.lastPath());
    }

    private void versionRetention(LogRecord.VersionRetention r) {
        begin(VERSION_RETENTION)
                .varint(r.versionId())
                .varint(r.expiredBefore())
                .zigzag(r.expiredMs())
                .zigzag(r.endedMs());
    }

    private void objectRun(LogRecord.ObjectRun r) {
        if (r.crcs().length > MAX_CHECKSUMS) {
            throw new IllegalArgumentException("a data object of more than 4 GiB");
        }
        extent(OBJECT_RUN, r.versionId(), r.start(), r.length())
                .i64(r.unique())
                .varint(r.objectLength())
                .u8(r.codec().ordinal());
        for (int crc : r.crcs()) {
            i32(crc);
        }
        zigzag(r.mtimeNs());
    }

    private void copyRun(LogRecord.CopyRun r) {
        extent(COPY_RUN, r.versionId(), r.start(), r.length())
                .varint(r.sourceVersion())
                .varint(r.sourceStart())
                .i32(r.crc())
                .zigzag(r.mtimeNs());
    }

    private void packedRun(LogRecord.PackedRun r) {
        extent(PACKED_RUN, r.versionId(), r.start(), r.length())
                .i64(r.unique())
                .varint(r.packLength())
                .varint(r.dataOffset())
                .i32(r.crc())
                .zigzag(r.mtimeNs());
    }

    private RecordWriter begin(int kind) {
        count++;
        return u8(kind);
    }

    private RecordWriter extent(int kind, long versionId, long start, long extentLength) {
        if (kind != OBJECT_RUN && extentLength <= LogRecord.PIECE_BYTES) {
            runBytes += kind == ZERO_RUN ? 0 : extentLength;
        }
        return begin(kind).varint(versionId).varint(start).varint(extentLength);
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length + (bytes.length >> 1), Math.addExact(length, more)));
        }
    }

    RecordWriter u8(int value) {
        room(1);
        bytes[length++] = (byte) value;
        return this;
    }

    private RecordWriter bool(boolean value) {
        return u8(value ? 1 : 0);
    }

    RecordWriter varint(long value) {
        room(VARINT_BYTES);
        byte[] to = bytes; // as in RecordInput
        int next = length;
        long left = value;
        while ((left & ~0x7fL) != 0) {
            to[next++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        to[next++] = (byte) left;
        length = next;
        return this;
    }

    RecordWriter zigzag(long value) {
        return varint((value << 1) ^ (value >> 63));
    }

    private RecordWriter i32(int value) {
        room(Integer.BYTES);
        for (int shift = 0; shift < Integer.SIZE; shift += 8) {
            bytes[length++] = (byte) (value >> shift);
        }
        return this;
    }

    private RecordWriter i64(long value) {
        return i32((int) value).i32((int) (value >> 32));
    }

    private void beginBlock(int size) {
        if (size > MAX_BLOCK_BYTES) {
            throw new IllegalArgumentException("a text or path of " + size + " bytes");
        }
        varint(size).room(size);
    }

    private RecordWriter block(byte[] value) {
        beginBlock(value.length);
        return bytes(value, 0, value.length);
    }

    RecordWriter bytes(byte[] from, int offset, int more) {
        room(more);
        System.arraycopy(from, offset, bytes, length, more);
        length += more;
        return this;
    }

    private RecordWriter text(String value) {
        return block(value.getBytes(StandardCharsets.UTF_8));
    }

    private RecordWriter path(Pathname value) {
        beginBlock(value.length());
        for (int i = 0; i < value.length(); i++) {
            bytes[length++] = value.byteAt(i);
            components += value.byteAt(i) == '/' ? 1 : 0;
        }
        return this;
    }

    private RecordWriter attributes(InodeAttributes value) {
        return varint(value.mode())
                .varint(value.uid() & 0xffffffffL)
                .varint(value.gid() & 0xffffffffL)
                .zigzag(value.mtimeNs());
    }
}
