package io.chagres.archive.maintain;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentRows;
import io.chagres.archive.state.RowSorter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The new extents of versions, written in any order and then asked for in the order of versions. For any other order
 * they are searched from the beginning. Confined to one thread.
 */
final class WrittenExtents implements AutoCloseable {
    private final RowSorter rows;
    private final ExtentRows layout = new ExtentRows();
    private Iterator<byte[]> rest = Collections.emptyIterator();
    private byte @Nullable [] next;
    private long lastId = Long.MAX_VALUE;
    private List<LogRecord.Extent> found = List.of();

    /** Holds none yet, and closes what sorts them with itself. */
    WrittenExtents(RowSorter rows) {
        this.rows = rows;
    }

    /** Adds one; before anybody asks. */
    void add(LogRecord.Extent extent) throws IOException {
        rows.add(layout.ofVersion(extent));
    }

    /** Returns those of a version, in order. */
    List<LogRecord.Extent> of(long versionId) {
        if (versionId == lastId) {
            return found;
        }
        if (versionId < lastId) {
            rest = rows.iterator();
            advance();
        }
        lastId = versionId;
        while (next != null && ExtentRows.versionOf(next) < versionId) {
            advance();
        }
        found = next != null && ExtentRows.versionOf(next) == versionId ? new ArrayList<>() : List.of();
        while (next != null && ExtentRows.versionOf(next) == versionId) {
            found.add(ExtentRows.ofVersion(next));
            advance();
        }
        return found;
    }

    private void advance() {
        next = rest.hasNext() ? rest.next() : null;
    }

    /** Returns all, in the order of versions. */
    Iterable<LogRecord.Extent> all() {
        return rows.as(ExtentRows::ofVersion);
    }

    @Override
    public void close() {
        rows.close();
    }
}
