package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.io.IOException;
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
 * or is removed. Goes through the tree, which has that order, and beside it through what is gone with a directory.
 * Confined to one thread; the state does not change meanwhile.
 */
final class NameChanges implements Iterable<LogRecord>, AutoCloseable {
    private final HostState state;

    /** The keys of names that went with a directory, perhaps twice. */
    private final RowSorter gone = new RowSorter(Pathname.of(System.getProperty("java.io.tmpdir")));

    private NameChanges(HostState state) {
        this.state = state;
    }

    /** Finds those of a state. */
    static NameChanges of(HostState state) throws IOException {
        NameChanges changes = new NameChanges(state);
        boolean isDone = false;
        try {
            for (Pathname place : state.names().left()) {
                changes.collectGone(Objects.requireNonNull(state.rows()), place);
            }
            isDone = true;
            return changes;
        } finally {
            if (!isDone) {
                changes.close();
            }
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
                    gone.add(TableIndex.nameKey(path));
                }
                if (name.kind() == LogRecord.Kind.DIRECTORY) {
                    directories.push(path);
                }
            }
        }
    }

    /** Goes through what changed where it is now, and through the names that went one by one. */
    private final class Walk extends LazyIterator<LogRecord> {
        private final Deque<Place> directories = new ArrayDeque<>();
        private final Deque<Place> below = new ArrayDeque<>();
        private Iterator<LogRecord> rows;

        /** A directory and where it is. */
        private record Place(NameTree.Entry directory, Pathname path) {}

        Walk() {
            NameTree.Entry root = state.names().root();
            rows = rows(new Place(root, root.path()));
        }

        @Override
        protected @Nullable LogRecord following() {
            while (!rows.hasNext()) {
                while (!below.isEmpty()) {
                    directories.push(below.pop()); // the first of them comes next
                }
                if (directories.isEmpty()) {
                    return null;
                }
                rows = rows(directories.pop());
            }
            return rows.next();
        }

        private Iterator<LogRecord> rows(Place of) {
            return of.directory().isInPlace(of.path()) ? changed(of) : all(of);
        }

        private Iterator<LogRecord> changed(Place of) {
            Iterator<? extends Map.Entry<Pathname, NameTree.@Nullable Entry>> kept =
                    of.directory().kept().entrySet().iterator();
            return new LazyIterator<>() {
                @Override
                protected @Nullable LogRecord following() {
                    while (kept.hasNext()) {
                        Map.Entry<Pathname, NameTree.@Nullable Entry> each = kept.next();
                        Pathname path = of.path().resolve(each.getKey());
                        NameTree.Entry child = each.getValue();
                        if (child == null) {
                            return new LogRecord.NameRemoved(path, false);
                        }
                        LogRecord row = row(child, path);
                        if (!child.isUntouched(path)) {
                            return row;
                        }
                    }
                    return null;
                }
            };
        }

        private Iterator<LogRecord> all(Place of) {
            TreeWalk.Level level = new TreeWalk.Level(of.directory());
            return new LazyIterator<>() {
                @Override
                protected @Nullable LogRecord following() {
                    NameTree.Entry child = level.next();
                    return child == null ? null : row(child, of.path().resolve(child.name()));
                }
            };
        }

        private LogRecord row(NameTree.Entry child, Pathname path) {
            if (child.isDirectory()) {
                below.push(new Place(child, path));
            }
            return Checkpoint.name(child, path);
        }
    }

    @Override
    public Iterator<LogRecord> iterator() {
        Iterator<byte[]> keys = gone.iterator();
        Iterator<LogRecord> there = new Walk();
        return new LazyIterator<>() {
            private byte @Nullable [] key = keys.hasNext() ? keys.next() : null;
            private @Nullable LogRecord row = there.hasNext() ? there.next() : null;

            @Override
            protected @Nullable LogRecord following() {
                byte[] first = key;
                int order = first == null ? -1 : row == null ? 1 : Arrays.compareUnsigned(keyOf(row), first);
                LogRecord next = order > 0
                        ? new LogRecord.NameRemoved(TableIndex.pathOf(Objects.requireNonNull(first)), false)
                        : row;
                if (order <= 0) {
                    row = there.hasNext() ? there.next() : null;
                }
                while (order >= 0 && Arrays.equals(key, first)) {
                    key = keys.hasNext() ? keys.next() : null;
                }
                return next;
            }
        };
    }

    /**
     * Returns them as what replaces rows of tables.
     *
     * @param isWhole whether nothing is written of names that are removed
     */
    Iterator<TableCopy.Change> asChanges(boolean isWhole) {
        Iterator<LogRecord> rows = iterator();
        return new LazyIterator<>() {
            @Override
            protected TableCopy.@Nullable Change following() {
                LogRecord row = rows.hasNext() ? rows.next() : null;
                return row == null
                        ? null
                        : new TableCopy.Change(keyOf(row), to -> {
                            if (!isWhole || row instanceof LogRecord.NameAdded) {
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
        gone.close();
    }
}
