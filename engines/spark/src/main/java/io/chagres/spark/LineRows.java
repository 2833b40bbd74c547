package io.chagres.spark;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.CommitTimes;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** The lines of a split. Owns a store until it is closed. Confined to one thread. */
final class LineRows implements PartitionReader<InternalRow> {
    /** What is asked of a line, by the names of columns. */
    private enum Column {
        HOST,
        PATH,
        VERSION,
        OFFSET,
        COMMIT_TIME,
        LINE,
        LINE_BYTES
    }

    private final Split split;
    private final Column[] columns;
    private final Object[] values;
    private final InternalRow row;
    private final BlobStore store;
    private final HostState state;
    private final VersionReader reader;
    private final UTF8String host;
    private final CommitTimes times;
    private @Nullable FileVersion version;
    private UTF8String path = UTF8String.EMPTY_UTF8;
    private @Nullable RangeLines lines;
    private int ranges;

    LineRows(Question question, Split split, String[] columns) throws IOException {
        this.split = split;
        this.columns = Arrays.stream(columns)
                .map(name -> Column.valueOf(name.toUpperCase(Locale.ROOT)))
                .toArray(Column[]::new);
        values = new Object[columns.length];
        row = new GenericInternalRow(values);
        host = UTF8String.fromString(split.host());
        Set<Long> ids = split.ranges().stream().map(Split.Range::versionId).collect(Collectors.toSet());
        store = question.open();
        try {
            state = HostLog.load(
                    store, split.hostId(), question.moment(), ExtentFilter.of(ids::contains), RunListener.NONE);
            times = List.of(columns).contains("commit_time")
                    ? CommitTimes.load(store, split.hostId(), state.seq(), ids)
                    : CommitTimes.NONE;
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
        reader = new VersionReader(store, split.hostId(), state);
    }

    @Override
    public boolean next() throws IOException {
        while (lines == null || !lines.next()) {
            if (ranges == split.ranges().size()) {
                return false;
            }
            Split.Range range = split.ranges().get(ranges++);
            FileVersion of = state.version(range.versionId());
            if (of == null) {
                throw new CorruptArchiveException(
                        "version " + Long.toHexString(range.versionId()) + " of " + split.host(),
                        "it expired while the query ran");
            }
            path = UTF8String.fromBytes(range.path());
            version = of;
            lines = new RangeLines(reader, of, range);
        }
        return true;
    }

    /** Returns the same object each time: Spark copies what it keeps. */
    @Override
    public InternalRow get() {
        RangeLines at = Objects.requireNonNull(lines);
        for (int i = 0; i < values.length; i++) {
            values[i] = switch (columns[i]) {
                case HOST -> host;
                case PATH -> path;
                case VERSION -> at.versionId();
                case OFFSET -> at.position();
                case COMMIT_TIME -> FactRows.micros(times.timeMs(Objects.requireNonNull(version), at.position()));
                case LINE -> at.text();
                case LINE_BYTES -> at.bytes();
            };
        }
        return row;
    }

    @Override
    public void close() {
        reader.close();
        store.close();
    }
}
