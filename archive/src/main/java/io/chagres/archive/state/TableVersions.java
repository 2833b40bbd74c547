package io.chagres.archive.state;

import java.util.AbstractCollection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NavigableMap;

/** All versions of a state over a table in the order of their ids: those of the table are made on the way. */
final class TableVersions extends AbstractCollection<FileVersion> {
    static final Comparator<FileVersion> BY_ID = Comparator.comparingLong(FileVersion::id);

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
        return LazyIterator.merged(table.versions(names), kept.values().iterator(), BY_ID);
    }
}
