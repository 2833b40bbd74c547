package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.RecordWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** Lays extents out as rows that a {@link RowSorter} brings into their order. Confined to one thread. */
public final class ExtentRows {
    private static final int STORED_BYTES = 5 * Long.BYTES;
    private static final int VERSION_BYTES = 2 * Long.BYTES;

    private final RecordWriter record = new RecordWriter();

    /** Makes one. */
    public ExtentRows() {}

    /** Returns a row whose order is {@link Extents#AS_STORED}. */
    public byte[] asStored(LogRecord.Extent extent) {
        return begin(STORED_BYTES, extent)
                .put(placeOf(extent))
                .put(record.array(), 0, record.length())
                .array();
    }

    /** Returns bytes whose order is {@link Extents#AS_STORED}, of one length. */
    public static byte[] placeOf(LogRecord.Extent extent) {
        long sign = Long.MIN_VALUE; // a negative number is before others, of those that may be random
        return ByteBuffer.allocate(STORED_BYTES)
                .putLong(Extents.seq(extent))
                .putLong(Extents.pack(extent) ^ sign)
                .putLong(Extents.dataOffset(extent))
                .putLong(extent.versionId())
                .putLong(extent.start())
                .array();
    }

    /** Returns a row whose order is that of versions and of positions in them. */
    public byte[] ofVersion(LogRecord.Extent extent) {
        return begin(VERSION_BYTES, extent)
                .putLong(extent.versionId())
                .putLong(extent.start())
                .put(record.array(), 0, record.length())
                .array();
    }

    private ByteBuffer begin(int keyBytes, LogRecord.Extent extent) {
        record.reset();
        record.write(extent);
        return ByteBuffer.allocate(keyBytes + record.length());
    }

    /** Returns the version that a row of {@link #ofVersion} is of. */
    public static long versionOf(byte[] row) {
        return ByteBuffer.wrap(row).getLong();
    }

    /** Returns the extent of a row of {@link #ofVersion}. */
    public static LogRecord.Extent ofVersion(byte[] row) {
        return extent(row, VERSION_BYTES);
    }

    /** Returns the extents of rows of {@link #asStored}, made one by one. */
    public static Iterable<LogRecord.Extent> asStored(RowSorter rows) {
        return rows.as(row -> extent(row, STORED_BYTES));
    }

    private static LogRecord.Extent extent(byte[] row, int keyBytes) {
        try {
            return (LogRecord.Extent) new RecordReader("a temporary file", row, keyBytes, row.length - keyBytes).next();
        } catch (CorruptArchiveException e) {
            throw new UncheckedIOException(e);
        }
    }
}
