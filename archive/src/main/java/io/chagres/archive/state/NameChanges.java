package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The names that changed in a state since the table that it stands over, as rows in the order of a table: each is there
 * or is removed. Confined to one thread.
 */
final class NameChanges implements Iterable<LogRecord>, AutoCloseable {
    private final RowSorter sorter = new RowSorter(Pathname.of(System.getProperty("java.io.tmpdir")));
    private final RecordWriter writer = new RecordWriter();

    private final HostState state;

    private NameChanges(HostState state) {
        this.state = state;
    }

    /** Collects those of a state. */
    static NameChanges of(HostState state) throws IOException {
        NameChanges changes = new NameChanges(state);
        boolean isDone = false;
        try {
            changes.collect();
            isDone = true;
            return changes;
        } finally {
            if (!isDone) {
                changes.close();
            }
        }
    }

    private void collect() throws IOException {
        Deque<NameTree.Entry> directories =
                new ArrayDeque<>(List.of(state.names().root()));
        while (!directories.isEmpty()) {
            NameTree.Entry directory = directories.pop();
            Pathname path = directory.path();
            if (directory.isInPlace(path)) {
                for (Map.Entry<Pathname, NameTree.@Nullable Entry> each :
                        directory.kept().entrySet()) {
                    NameTree.Entry child = each.getValue();
                    Pathname below = path.resolve(each.getKey());
                    if (child == null || !child.isUntouched(below)) {
                        add(below, child);
                    }
                    if (child != null && child.isDirectory()) {
                        directories.push(child);
                    }
                }
                continue;
            }
            TreeWalk.Level level = new TreeWalk.Level(directory);
            for (NameTree.Entry child = level.next(); child != null; child = level.next()) {
                add(path.resolve(child.name()), child);
                if (child.isDirectory()) {
                    directories.push(child);
                }
            }
        }
        for (Pathname place : state.names().left()) {
            collectGone(Objects.requireNonNull(state.rows()), place);
        }
    }

    /** Adds what a table has below a directory, and is not there now. */
    private void collectGone(SortedRows table, Pathname place) throws IOException {
        Deque<Pathname> directories = new ArrayDeque<>(List.of(place));
        while (!directories.isEmpty()) {
            Pathname directory = directories.pop();
            for (Iterator<LogRecord.NameAdded> names = table.names(directory); names.hasNext(); ) {
                LogRecord.NameAdded name = names.next();
                Pathname path = directory.resolve(name.path());
                if (state.names().find(path) == null) {
                    add(path, null);
                }
                if (name.kind() == LogRecord.Kind.DIRECTORY) {
                    directories.push(path);
                }
            }
        }
    }

    private void add(Pathname path, NameTree.@Nullable Entry entry) throws IOException {
        add(entry == null ? new LogRecord.NameRemoved(path, false) : Checkpoint.name(entry, path));
    }

    /** Adds a row: its key, a zero, so that rows have the order of their keys, the record, and the size of the key. */
    private void add(LogRecord row) throws IOException {
        byte[] key = keyOf(row);
        writer.reset();
        writer.write(row);
        sorter.add(ByteBuffer.allocate(key.length + 1 + writer.length() + Integer.BYTES)
                .put(key)
                .put((byte) 0)
                .put(writer.array(), 0, writer.length())
                .putInt(key.length)
                .array());
    }

    @Override
    public Iterator<LogRecord> iterator() {
        Iterator<byte[]> rows = sorter.iterator();
        return new LazyIterator<>() {
            private byte[] last = {};

            @Override
            protected @Nullable LogRecord following() {
                byte[] row = last;
                while (rows.hasNext() && Arrays.equals(row, last)) {
                    row = rows.next(); // a name may be visited twice
                }
                if (Arrays.equals(row, last)) {
                    return null;
                }
                last = row;
                return record(row);
            }
        };
    }

    private static LogRecord record(byte[] row) {
        int start = ByteBuffer.wrap(row).getInt(row.length - Integer.BYTES) + 1;
        try {
            return new RecordReader("a temporary file", row, start, row.length - Integer.BYTES - start).next();
        } catch (CorruptArchiveException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns them as what replaces rows of the table. */
    Iterator<TableCopy.Change> asChanges() {
        Iterator<LogRecord> rows = iterator();
        return new LazyIterator<>() {
            @Override
            protected TableCopy.@Nullable Change following() {
                LogRecord row = rows.hasNext() ? rows.next() : null;
                return row == null
                        ? null
                        : new TableCopy.Change(keyOf(row), to -> {
                            if (row instanceof LogRecord.NameAdded) {
                                to.write(row);
                            }
                        });
            }
        };
    }

    private static byte[] keyOf(LogRecord row) {
        return Objects.requireNonNull(TableIndex.rowKey(row));
    }

    @Override
    public void close() {
        sorter.close();
    }
}
