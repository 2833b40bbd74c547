package io.chagres.archive.state;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** All versions of a state over a table in the order of their ids: those of the table are made on the way. */
final class TableVersions extends AbstractCollection<FileVersion> {
    private final SortedRows table;
    private final NameTree names;
    private final NavigableMap<Long, FileVersion> kept;

    /**
     * Makes a view.
     *
     * @param kept versions that stand for those of the table with the same ids, and others
     */
    TableVersions(SortedRows table, NameTree names, NavigableMap<Long, FileVersion> kept) {
        this.table = table;
        this.names = names;
        this.kept = kept;
    }

    @Override
    public int size() {
        int count = 0;
        for (Iterator<FileVersion> all = iterator(); all.hasNext(); all.next()) {
            count++;
        }
        return count;
    }

    @Override
    public Iterator<FileVersion> iterator() {
        return merged(table.versions(names), kept.values().iterator());
    }

    /** Returns versions in the order of their ids; of two with one id the other. */
    static Iterator<FileVersion> merged(Iterator<FileVersion> inTable, Iterator<FileVersion> others) {
        return new LazyIterator<>() {
            private @Nullable FileVersion tabled = after(inTable);
            private @Nullable FileVersion other = after(others);

            @Override
            protected @Nullable FileVersion following() {
                FileVersion first = tabled;
                if (other != null && (first == null || other.id() <= first.id())) {
                    first = other;
                    other = after(others);
                }
                if (first != null && tabled != null && tabled.id() == first.id()) {
                    tabled = after(inTable);
                }
                return first;
            }
        };
    }

    private static @Nullable FileVersion after(Iterator<FileVersion> versions) {
        return versions.hasNext() ? versions.next() : null;
    }
}
