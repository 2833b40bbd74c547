package io.chagres.archive.log;

import io.chagres.archive.Codec;
import io.chagres.archive.FileKey;
import io.chagres.archive.Record;
import java.io.IOException;

/** Decodes records from their bytes, one by one. The byte tables are in docs/FORMAT.md. Confined to one thread. */
public final class RecordReader {
    private final Bytes in;

    /**
     * Makes a reader.
     *
     * @param object the key the bytes come from, for messages
     * @param bytes holds the records; not copied
     */
    public RecordReader(String object, byte[] bytes, int offset, int length) {
        in = new Bytes(object, bytes, offset, length);
    }

    /** Says whether there is another record. */
    public boolean hasNext() {
        return in.hasMore();
    }

    /** Decodes the next record. */
    public Record next() throws IOException {
        int kind = in.u8();
        return switch (kind) {
            case RecordWriter.INCARNATION_OPENED ->
                new Record.IncarnationOpened(
                        in.block(), in.text(), in.text(), in.text(), in.text(), in.varint(), in.text(), in.varint());
            case RecordWriter.INCARNATION_CLOSED -> new Record.IncarnationClosed(in.u8() != 0);
            case RecordWriter.NAME_ADDED ->
                new Record.NameAdded(
                        in.path(), oneOf(Record.Kind.values()), in.varint(), in.path(), in.attributes());
            case RecordWriter.NAME_REMOVED -> new Record.NameRemoved(in.path(), in.u8() != 0);
            case RecordWriter.NAME_MOVED -> new Record.NameMoved(in.path(), in.path());
            case RecordWriter.VERSION_OPENED ->
                new Record.VersionOpened(
                        in.varint(),
                        new FileKey(in.i64(), in.i64(), in.varint(), in.varint()),
                        in.varint(),
                        in.natural(),
                        in.path(),
                        in.attributes());
            case RecordWriter.VERSION_CLOSED -> new Record.VersionClosed(in.varint(), oneOf(Record.Reason.values()));
            case RecordWriter.ATTRIBUTES_CHANGED ->
                new Record.AttributesChanged(in.varint(), in.path(), in.attributes());
            case RecordWriter.DERIVED -> new Record.Derived(in.varint(), in.varint(), in.text());
            case RecordWriter.VERSION_TIMES ->
                new Record.VersionTimes(in.varint(), in.varint(), in.varint(), in.path());
            default -> extent(kind);
        };
    }

    private Record extent(int kind) throws IOException {
        long versionId = in.varint();
        long start = in.natural();
        long length = in.natural();
        if (length == 0 || start + length < 0) {
            throw in.corrupt("an extent is empty or too large");
        }
        return switch (kind) {
            case RecordWriter.RUN ->
                new Record.Run(versionId, start, length, in.natural(), in.natural(), in.i32(), in.zigzag());
            case RecordWriter.OBJECT_RUN -> {
                long unique = in.i64();
                long objectLength = in.natural();
                Codec codec = oneOf(Codec.values());
                yield new Record.ObjectRun(
                        versionId, start, length, unique, objectLength, codec, crcs(length), in.zigzag());
            }
            case RecordWriter.ZERO_RUN -> new Record.ZeroRun(versionId, start, length, in.zigzag());
            case RecordWriter.COPY_RUN ->
                new Record.CopyRun(
                        versionId, start, length, in.varint(), in.natural(), in.i32(), in.zigzag());
            default -> throw in.corrupt("record kind " + kind + " is not known to this version");
        };
    }

    private int[] crcs(long length) throws IOException {
        long count = (length + SeekableFrames.FRAME_BYTES - 1) / SeekableFrames.FRAME_BYTES;
        if (count * Integer.BYTES > in.remaining()) {
            throw in.corrupt("checksums are cut off");
        }
        int[] crcs = new int[(int) count];
        for (int i = 0; i < crcs.length; i++) {
            crcs[i] = in.i32();
        }
        return crcs;
    }

    private <T> T oneOf(T[] values) throws IOException {
        int index = in.u8();
        if (index >= values.length) {
            throw in.corrupt("value " + index + " is not known to this version");
        }
        return values[index];
    }
}
