package io.chagres.archive.log;

import io.chagres.archive.Attributes;
import io.chagres.archive.Record;
import io.chagres.linux.Pathname;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes records into a growing array. The byte tables are in docs/FORMAT.md. Confined to one thread; {@link #run}
 * allocates nothing while the array has room.
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
    static final int RUN = 16;
    static final int OBJECT_RUN = 17;
    static final int ZERO_RUN = 18;
    static final int COPY_RUN = 19;

    private static final int FIRST_BYTES = 1024;

    private byte[] bytes = new byte[FIRST_BYTES];
    private int length;
    private int count;

    /** Makes an empty writer. */
    public RecordWriter() {}

    /** Returns the number of records. */
    public int count() {
        return count;
    }

    /** Returns the bytes used. */
    public int length() {
        return length;
    }

    /** Returns the array behind the records; valid until the next record. */
    public byte[] array() {
        return bytes;
    }

    /** Forgets all records and keeps the array. */
    public void reset() {
        length = 0;
        count = 0;
    }

    /** Gives a large array back. */
    public void trim() {
        if (length == 0 && bytes.length > FIRST_BYTES * 64) {
            bytes = new byte[FIRST_BYTES];
        }
    }

    /** Appends any record. */
    public void write(Record record) {
        switch (record) {
            case Record.IncarnationOpened r -> incarnation(r);
            case Record.IncarnationClosed r -> begin(INCARNATION_CLOSED).u8(r.drained() ? 1 : 0);
            case Record.NameAdded r ->
                begin(NAME_ADDED)
                        .path(r.path())
                        .u8(r.kind().ordinal())
                        .varint(r.versionId())
                        .path(r.target())
                        .attributes(r.attributes());
            case Record.NameRemoved r -> begin(NAME_REMOVED).path(r.path()).u8(r.movedOut() ? 1 : 0);
            case Record.NameMoved r -> begin(NAME_MOVED).path(r.from()).path(r.to());
            case Record.VersionOpened r -> opened(r);
            case Record.VersionClosed r ->
                begin(VERSION_CLOSED).varint(r.versionId()).u8(r.reason().ordinal());
            case Record.AttributesChanged r ->
                begin(ATTRIBUTES_CHANGED).varint(r.versionId()).path(r.path()).attributes(r.attributes());
            case Record.Derived r ->
                begin(DERIVED).varint(r.versionId()).varint(r.fromVersion()).text(r.codec());
            case Record.VersionTimes r ->
                begin(VERSION_TIMES)
                        .varint(r.versionId())
                        .varint(r.openedMs())
                        .varint(r.changedMs())
                        .path(r.lastPath());
            case Record.Run r ->
                run(r.versionId(), r.start(), r.length(), r.seq(), r.dataOffset(), r.crc(), r.mtimeNs());
            case Record.ObjectRun r -> object(r);
            case Record.ZeroRun r ->
                extent(ZERO_RUN, r.versionId(), r.start(), r.length()).zigzag(r.mtimeNs());
            case Record.CopyRun r ->
                extent(COPY_RUN, r.versionId(), r.start(), r.length())
                        .varint(r.sourceVersion())
                        .varint(r.sourceStart())
                        .i32(r.crc())
                        .zigzag(r.mtimeNs());
        }
    }

    /** Appends a {@link Record.Run} without making one. */
    public void run(long versionId, long start, long bytesLength, long seq, long dataOffset, int crc, long mtimeNs) {
        extent(RUN, versionId, start, bytesLength)
                .varint(seq)
                .varint(dataOffset)
                .i32(crc)
                .zigzag(mtimeNs);
    }

    private void incarnation(Record.IncarnationOpened r) {
        begin(INCARNATION_OPENED)
                .block(r.incarnation())
                .text(r.hostName())
                .text(r.machineId())
                .text(r.productUuid())
                .text(r.bootId())
                .varint(r.pid())
                .text(r.version())
                .varint(r.timeMs());
    }

    private void opened(Record.VersionOpened r) {
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

    private void object(Record.ObjectRun r) {
        extent(OBJECT_RUN, r.versionId(), r.start(), r.length())
                .i64(r.unique())
                .varint(r.objectLength())
                .u8(r.codec().ordinal());
        for (int crc : r.crcs()) {
            i32(crc);
        }
        zigzag(r.mtimeNs());
    }

    private RecordWriter begin(int kind) {
        count++;
        return u8(kind);
    }

    private RecordWriter extent(int kind, long versionId, long start, long bytesLength) {
        return begin(kind).varint(versionId).varint(start).varint(bytesLength);
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    private RecordWriter u8(int value) {
        room(1);
        bytes[length++] = (byte) value;
        return this;
    }

    private RecordWriter varint(long value) {
        room(10);
        long left = value;
        while ((left & ~0x7fL) != 0) {
            bytes[length++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        bytes[length++] = (byte) left;
        return this;
    }

    private RecordWriter zigzag(long value) {
        return varint((value << 1) ^ (value >> 63));
    }

    private RecordWriter i32(int value) {
        room(4);
        for (int shift = 0; shift < 32; shift += 8) {
            bytes[length++] = (byte) (value >> shift);
        }
        return this;
    }

    private RecordWriter i64(long value) {
        return i32((int) value).i32((int) (value >> 32));
    }

    private RecordWriter block(byte[] value) {
        varint(value.length);
        room(value.length);
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
        return this;
    }

    private RecordWriter text(String value) {
        return block(value.getBytes(StandardCharsets.UTF_8));
    }

    private RecordWriter path(Pathname value) {
        return block(value.bytes());
    }

    private RecordWriter attributes(Attributes value) {
        return varint(value.mode())
                .varint(value.uid() & 0xffffffffL)
                .varint(value.gid() & 0xffffffffL)
                .zigzag(value.mtimeNs());
    }
}
