package io.chagres.archive.state;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the paths of versions for a caller that goes through them in the order of their ids. For a large host that is
 * one sort of all names, and not a search for each version. Of use as long as the state does not change. Confined to
 * one thread.
 */
public final class VersionPaths implements AutoCloseable {
    private final @Nullable RowSorter names;
    private Iterator<byte[]> rest = Collections.emptyIterator();
    private byte @Nullable [] next;
    private long lastId;

    /** The first name of the version that was asked for last; null for none. */
    private @Nullable Pathname found;

    /** Prepares; what is not in memory is sorted with the help of the tables. */
    public VersionPaths(HostState state, LocalTables tables) throws IOException {
        if (!state.isLarge()) {
            names = null;
            return;
        }
        RowSorter sorter = tables.sorter();
        names = sorter;
        boolean done = false;
        try {
            for (FilesByPath files = new FilesByPath(state.names(), path -> true); files.hasNext(); ) {
                FilesByPath.Named file = files.next();
                byte[] path = file.path().bytes();
                sorter.add(ByteBuffer.allocate(Long.BYTES + path.length)
                        .putLong(file.entry().versionId())
                        .put(path)
                        .array());
            }
            begin();
            done = true;
        } finally {
            if (!done) {
                sorter.close();
            }
        }
    }

    private void begin() {
        rest = Objects.requireNonNull(names).iterator();
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

    /** Returns the first name that a version has, or the one it had last, or the path it was opened by. */
    public Pathname of(FileVersion version) {
        Pathname name = names == null ? version.lastPath() : found(version.id());
        Pathname last = name == null ? version.notedPath() : name;
        return last == null ? version.openedPath() : last;
    }

    private @Nullable Pathname found(long id) {
        if (id < lastId) {
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
