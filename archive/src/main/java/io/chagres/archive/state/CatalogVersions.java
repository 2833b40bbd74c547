package io.chagres.archive.state;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** All versions of a state over a catalog in the order of their ids: those of the catalog are made on the way. */
final class CatalogVersions extends AbstractCollection<FileVersion> {
    private final CatalogFile catalog;
    private final NameTree names;
    private final NavigableMap<Long, FileVersion> kept;

    /**
     * Makes a view.
     *
     * @param kept versions that stand for those of the catalog with the same ids, and others
     */
    CatalogVersions(CatalogFile catalog, NameTree names, NavigableMap<Long, FileVersion> kept) {
        this.catalog = catalog;
        this.names = names;
        this.kept = kept;
    }

    @Override
    public int size() {
        int more = 0;
        for (Map.Entry<Long, FileVersion> each : kept.entrySet()) {
            more += catalog.holds(each.getKey()) ? 0 : 1;
        }
        return catalog.versionCount() + more;
    }

    @Override
    public boolean isEmpty() {
        return catalog.versionCount() == 0 && kept.isEmpty();
    }

    @Override
    public Iterator<FileVersion> iterator() {
        return new Merged(kept.values().iterator());
    }

    private final class Merged implements Iterator<FileVersion> {
        private final Iterator<FileVersion> others;
        private @Nullable FileVersion other;
        private @Nullable FileVersion catalogued;
        private int index;

        private Merged(Iterator<FileVersion> others) {
            this.others = others;
            nextOther();
            nextCatalogued();
        }

        private void nextOther() {
            other = others.hasNext() ? others.next() : null;
        }

        private void nextCatalogued() {
            catalogued = index < catalog.versionCount() ? catalog.versionAt(index++, names) : null;
        }

        @Override
        public boolean hasNext() {
            return other != null || catalogued != null;
        }

        @Override
        public FileVersion next() {
            FileVersion first = catalogued;
            if (other != null && (first == null || other.id() <= first.id())) {
                first = other;
                nextOther();
            }
            if (first == null) {
                throw new NoSuchElementException();
            }
            if (catalogued != null && catalogued.id() == first.id()) {
                nextCatalogued();
            }
            return first;
        }
    }
}
