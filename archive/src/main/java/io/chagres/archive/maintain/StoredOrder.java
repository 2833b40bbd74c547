package io.chagres.archive.maintain;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.LazyIterator;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the extents of ranges in the order in which the store holds them. It takes memory for each row of
 * extents of a version that are already in that order, and not for each extent: a file that grew by a line a commit has
 * a million of them. Confined to one thread.
 */
final class StoredOrder extends LazyIterator<StoredOrder.Part> {
    /**
     * A range, and where its bytes are and go.
     *
     * @param extents of its version
     * @param offset where its bytes go
     */
    record Source(CompactionPlan.Merge merge, ExtentList extents, long offset) {}

    /** An extent that a range wants at least a part of. */
    record Part(Source source, LogRecord.Extent extent) {}

    /** Where one row is. */
    private static final class Row {
        private final Source source;
        private final int end;
        private int at;
        private LogRecord.Extent extent;

        Row(Source source, int at, int end) {
            this.source = source;
            this.at = at;
            this.end = end;
            extent = source.extents().get(at);
        }

        boolean advance() {
            at++;
            if (at < end) {
                extent = source.extents().get(at);
            }
            return at < end;
        }
    }

    private final PriorityQueue<Row> rows =
            new PriorityQueue<>(Comparator.comparing((Row row) -> row.extent, Extents.AS_STORED));

    /** Begins with the first of all. */
    StoredOrder(List<Source> sources) {
        for (Source source : sources) {
            ExtentList extents = source.extents();
            int end = extents.indexOf(source.merge().end() - 1) + 1;
            for (int at = extents.indexOf(source.merge().start()); at < end; ) {
                int rowEnd = rowEnd(extents, at, end);
                rows.add(new Row(source, at, rowEnd));
                at = rowEnd;
            }
        }
    }

    private static int rowEnd(ExtentList extents, int from, int end) {
        LogRecord.Extent last = extents.get(from);
        int at = from + 1;
        while (at < end) {
            LogRecord.Extent next = extents.get(at);
            if (Extents.AS_STORED.compare(last, next) > 0) {
                break;
            }
            last = next;
            at++;
        }
        return at;
    }

    @Override
    protected @Nullable Part following() {
        Row row = rows.poll();
        if (row == null) {
            return null;
        }
        Part part = new Part(row.source, row.extent);
        if (row.advance()) {
            rows.add(row);
        }
        return part;
    }
}
