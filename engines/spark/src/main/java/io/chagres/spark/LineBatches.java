package io.chagres.spark;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.find.LineBlock;
import io.chagres.archive.find.LineFinder;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.find.RangeLines;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.CommitTimes;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.HostView;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** The lines of a split, some at a time. Owns a store until it is closed. Confined to one thread at a time. */
final class LineBatches implements PartitionReader<ColumnarBatch> {
    private final Split split;
    private final BlobStore store;
    private final LocalTables tables = Question.tables();
    private final HostState state;
    private final VersionReader reader;
    private final @Nullable LineFinder finder;
    private final UTF8String host;
    private final CommitTimes times;
    private final LineBlock block = new LineBlock();
    private final ColumnarBatch batch;
    private @Nullable FileVersion version;
    private UTF8String path = UTF8String.EMPTY_UTF8;
    private @Nullable RangeLines lines;
    private int ranges;

    /**
     * Begins to read.
     *
     * @param pattern what every line that is wanted matches; null when nothing is known of them
     */
    LineBatches(Question question, Split split, String[] columns, @Nullable LinePattern pattern) throws IOException {
        this.split = split;
        host = UTF8String.fromString(split.host());
        batch = new ColumnarBatch(
                Arrays.stream(columns).map(name -> LineColumn.of(name, this)).toArray(ColumnVector[]::new));
        Set<Long> ids = split.ranges().stream().map(LineRange::versionId).collect(Collectors.toSet());
        store = question.open();
        try {
            state = HostView.open(store, split.hostId(), question.moment(), ExtentFilter.of(ids::contains), tables)
                    .state();
            times = List.of(columns).contains("commit_time")
                    ? CommitTimes.load(store, split.hostId(), state.seq(), ids)
                    : CommitTimes.NONE;
        } catch (IOException | RuntimeException e) {
            block.close();
            tables.close();
            store.close();
            throw e;
        }
        reader = new VersionReader(store, split.hostId(), state);
        finder = pattern == null ? null : new LineFinder(pattern);
    }

    @Override
    public boolean next() throws IOException {
        while (lines == null || !lines.next()) {
            if (ranges == split.ranges().size()) {
                return false;
            }
            LineRange range = split.ranges().get(ranges++);
            FileVersion of = state.version(range.versionId());
            if (of == null) {
                throw new CorruptArchiveException(
                        "version " + Long.toHexString(range.versionId()) + " of " + split.host(),
                        "it expired while the query ran");
            }
            path = UTF8String.fromBytes(range.path());
            version = of;
            lines = new RangeLines(reader, of, range, finder, block);
        }
        batch.setNumRows(block.count());
        return true;
    }

    /** Returns the same object each time: Spark copies what it keeps. */
    @Override
    public ColumnarBatch get() {
        return batch;
    }

    RangeLines lines() {
        return Objects.requireNonNull(lines);
    }

    LineBlock block() {
        return block;
    }

    UTF8String host() {
        return host;
    }

    UTF8String path() {
        return path;
    }

    /** Returns when the first byte of a line was committed, microseconds since 1970. */
    long commitTimeMicros(int line) {
        return FactRows.micros(times.timeMs(Objects.requireNonNull(version), lines().position(line)));
    }

    @Override
    public void close() {
        if (finder != null) {
            finder.close();
        }
        block.close();
        reader.close();
        tables.close();
        store.close();
    }
}
