package io.chagres.spark;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.find.LineBlock;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.query.ArchiveReader;
import io.chagres.archive.query.BlockReader;
import io.chagres.archive.state.CommitTimes;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
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
    private final Question question;
    private final Split split;
    private final @Nullable LinePattern pattern;
    private final boolean wantsTimes;
    private final ArchiveReader archive;
    private final UTF8String host;
    private final ColumnarBatch batch;
    private HostState state = HostState.empty();
    private CommitTimes times = CommitTimes.NONE;
    private @Nullable BlockReader blocks;
    private @Nullable FileVersion version;
    private UTF8String path = UTF8String.EMPTY_UTF8;
    private int ranges;
    private boolean isRead;

    /**
     * Prepares to read.
     *
     * @param pattern what every line that is wanted matches; null when nothing is known of them
     */
    LineBatches(Question question, Split split, String[] columns, @Nullable LinePattern pattern) throws IOException {
        this.question = question;
        this.split = split;
        this.pattern = pattern;
        wantsTimes = List.of(columns).contains("commit_time");
        host = UTF8String.fromString(split.host());
        batch = new ColumnarBatch(
                Arrays.stream(columns).map(name -> LineColumn.of(name, this)).toArray(ColumnVector[]::new));
        archive = question.reader();
    }

    @Override
    public boolean next() throws IOException {
        if (blocks == null && !archive.attempt(split.owner(), this::open)) {
            return false; // damaged, and passed over
        }
        isRead = false;
        while (!isRead && (version != null || ranges < split.ranges().size())) {
            if (!archive.attempt(split.owner(), this::read)) {
                version = null; // what follows is another range
            }
        }
        return isRead;
    }

    private void open() throws IOException {
        Set<Long> ids = split.ranges().stream().map(LineRange::versionId).collect(Collectors.toSet());
        state = archive.state(split.owner(), question.moment(), ExtentFilter.of(ids::contains));
        times = wantsTimes ? CommitTimes.load(archive.store(), split.hostId(), state.seq(), ids) : CommitTimes.NONE;
        blocks = new BlockReader(archive.store(), split.hostId(), state, pattern);
    }

    /** Reads on in a range, or begins with the next one. */
    private void read() throws IOException {
        if (version == null) {
            LineRange range = split.ranges().get(ranges++);
            FileVersion of = state.version(range.versionId());
            if (of == null) {
                throw new CorruptArchiveException(
                        "version " + Long.toHexString(range.versionId()) + " of " + split.host(),
                        "it expired while the query ran");
            }
            path = UTF8String.fromBytes(range.path());
            blocks().begin(of, range);
            version = of;
        }
        isRead = blocks().next();
        if (isRead) {
            batch.setNumRows(block().count());
        } else {
            version = null;
        }
    }

    /** Returns the same object each time: Spark copies what it keeps. */
    @Override
    public ColumnarBatch get() {
        return batch;
    }

    private BlockReader blocks() {
        return Objects.requireNonNull(blocks);
    }

    LineBlock block() {
        return blocks().block();
    }

    long position(int line) {
        return blocks().position(line);
    }

    long versionId() {
        return Objects.requireNonNull(version).id();
    }

    UTF8String host() {
        return host;
    }

    UTF8String path() {
        return path;
    }

    /** Returns when the first byte of a line was committed, microseconds since 1970. */
    long commitTimeMicros(int line) {
        return FactRows.micros(times.timeMs(Objects.requireNonNull(version), position(line)));
    }

    @Override
    public void close() {
        if (blocks != null) {
            blocks.close();
        }
        archive.close();
    }
}
