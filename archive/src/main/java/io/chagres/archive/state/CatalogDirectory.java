package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordReader;
import io.chagres.linux.Pathname;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A directory of a catalog. Immutable.
 *
 * @param catalog the file it is in
 * @param offset where its block begins
 * @param count how many names it has
 * @param length bytes of its block
 */
record CatalogDirectory(CatalogFile catalog, long offset, int count, int length) {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** Returns all names in the order of their bytes: paths of one component. */
    List<LogRecord.NameAdded> names() {
        byte[] block = catalog.bytes(offset, length);
        int table = count * Integer.BYTES;
        RecordReader reader = new RecordReader("a catalog", block, table, length - table);
        List<LogRecord.NameAdded> names = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            names.add(next(reader));
        }
        return names;
    }

    /** Returns a name, or null. */
    LogRecord.@Nullable NameAdded find(Pathname name) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            LogRecord.NameAdded there = at(middle);
            int order = there.path().compareTo(name);
            if (order == 0) {
                return there;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    private LogRecord.NameAdded at(int index) {
        boolean last = index == count - 1;
        int bytes = last ? Integer.BYTES : 2 * Integer.BYTES;
        MemorySegment bounds = MemorySegment.ofArray(catalog.bytes(offset + (long) index * Integer.BYTES, bytes));
        int start = bounds.get(INT, 0);
        int end = last ? length : bounds.get(INT, Integer.BYTES);
        byte[] record = catalog.bytes(offset + start, end - start);
        return next(new RecordReader("a catalog", record, 0, record.length));
    }

    private static LogRecord.NameAdded next(RecordReader reader) {
        try {
            return (LogRecord.NameAdded) reader.next();
        } catch (CorruptArchiveException e) {
            throw new UncheckedIOException(e);
        }
    }
}
