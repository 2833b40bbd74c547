package io.chagres.archive.state;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Finds the paths of versions for a caller that goes through them in the order of their ids. For many versions of a
 * large host that is one sort of all names, and not a search for each version. Of use as long as the state does not
 * change. Confined to one thread.
 */
public final class VersionPaths implements AutoCloseable {
    /** The most versions that are searched for before all names are sorted. */
    private static final int MAX_SEARCHED = 1000;

    private final HostState state;
    private final LocalTables tables;
    private int searched;

    /** All names with their versions; null before they are needed. */
    private @Nullable RowSorter names;

    private Iterator<byte[]> rest = Collections.emptyIterator();
    private byte @Nullable [] next;
    private long lastId;

    /** The first name of the version that was asked for last; null for none. */
    private @Nullable Pathname found;

    /** Prepares; what is not in memory is sorted with the help of the tables. */
    public VersionPaths(HostState state, LocalTables tables) {
        this.state = state;
        this.tables = tables;
    }

    private RowSorter sorted() throws IOException {
        RowSorter sorter = names;
        if (sorter == null) {
            sorter = tables.sorter();
            names = sorter;
            for (FilesByPath files = new FilesByPath(state.names(), path -> true); files.hasNext(); ) {
                FilesByPath.Named file = files.next();
                byte[] path = file.path().bytes();
                sorter.add(ByteBuffer.allocate(Long.BYTES + path.length)
                        .putLong(file.entry().versionId())
                        .put(path)
                        .array());
            }
        }
        return sorter;
    }

    private void begin() throws IOException {
        rest = sorted().iterator();
        lastId = 0;
        found = null;
        advance();
    }

    private void advance() {
        next = rest.hasNext() ? rest.next() : null;
    }

    private static long idOf(byte[] row) {
        return ByteBuffer.wrap(row).getLong();
    }

    /** Returns a name that a version has, or the one it had last, or the path it was opened by. */
    public Pathname of(FileVersion version) throws IOException {
        Pathname name = null;
        if (!state.isLarge()) {
            name = version.lastPath();
        } else if (version.nameCount() > 0) {
            name = isNameOf(version) ? version.openedPath() : found(version.id());
        }
        Pathname last = name == null ? version.notedPath() : name;
        return last == null ? version.openedPath() : last;
    }

    /** Says whether a version still has the name by which it was opened, unless all names are sorted anyway. */
    private boolean isNameOf(FileVersion version) {
        if (names != null || searched == MAX_SEARCHED || version.openedPath().length() == 0) {
            return false;
        }
        searched++;
        NameTree.Entry there = state.names().find(version.openedPath());
        return there != null && there.versionId() == version.id();
    }

    private @Nullable Pathname found(long id) throws IOException {
        if (id < lastId || names == null) {
            begin();
        }
        if (id == lastId) {
            return found;
        }
        lastId = id;
        found = null;
        while (next != null && idOf(next) < id) {
            advance();
        }
        if (next != null && idOf(next) == id) {
            found = Pathname.ofBytes(next, Long.BYTES, next.length - Long.BYTES);
        }
        return found;
    }

    @Override
    public void close() {
        if (names != null) {
            names.close();
        }
    }
}
