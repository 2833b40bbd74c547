package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes out of a checkpoint what a filter chooses, with few reads: the index, and the blocks that hold those names and
 * versions. Confined to one thread.
 */
final class CheckpointPart {
    private final StateTable table;
    private final HostState whole;
    private final HostState part;
    private final NameFilter filter;
    private final Set<Long> taken = new HashSet<>();

    private CheckpointPart(StateTable table, HostState part, NameFilter filter) throws IOException {
        this.table = table;
        this.part = part;
        this.filter = filter;
        whole = new HostState(table);
    }

    /**
     * Takes over a part of a checkpoint into a state before the first commit.
     *
     * @throws CorruptArchiveException when what was read of it is damaged
     * @throws LargeHostException when it has to be read as a whole
     */
    static void restore(BlobStore store, String hostId, CheckpointId id, HostState state, NameFilter filter)
            throws IOException {
        String key = ArchiveLayout.checkpoint(hostId, id);
        try (StateTable table = StateTable.open(store, key)) {
            if (table == null) {
                throw new LargeHostException();
            }
            new CheckpointPart(table, state, filter).restore();
            state.restored(table.header());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void restore() throws IOException {
        for (LogRecord record : table.hostRecords()) {
            take(record);
        }
        directory(whole.names().root(), Pathname.of("/"));
        for (long id : List.copyOf(filter.versions())) {
            FileVersion version = whole.version(id);
            version(version); // a later commit may open it
            for (Pathname path : version == null ? List.<Pathname>of() : version.paths()) {
                name(path);
            }
        }
        whole.forEachNameless(version -> {
            Pathname last = version.lastPath();
            if (filter.keepsFile(last == null ? version.openedPath() : last)) {
                try {
                    version(version);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }

    private void directory(NameTree.Entry directory, Pathname path) throws IOException {
        for (Iterator<NameTree.Entry> entries = directory.each(); entries.hasNext(); ) {
            NameTree.Entry entry = entries.next();
            Pathname below = path.resolve(entry.name());
            switch (entry.kind()) {
                case FILE -> {
                    if (filter.keepsFile(below)) {
                        version(entry.version());
                        add(entry, below);
                    }
                }
                case DIRECTORY -> {
                    if (filter.keeps(below)) {
                        add(entry, below);
                        directory(entry, below);
                    }
                }
                default -> {
                    if (filter.keeps(below)) {
                        add(entry, below);
                    }
                }
            }
        }
    }

    /** Takes a version without its names; one of several has them in other places, too. */
    private void version(@Nullable FileVersion version) throws IOException {
        if (version == null) {
            return; // the part refuses its name
        }
        if (version.nameCount() > 1) {
            throw new LargeHostException();
        }
        if (taken.add(version.id())) {
            filter.keep(version.id());
            Checkpoint.version(version, 0, CheckpointContents.EVERYTHING, this::take);
        }
    }

    private void name(Pathname path) throws IOException {
        NameTree.Entry entry = whole.names().find(path);
        if (entry != null && !filter.keepsFile(path)) {
            add(entry, path);
        }
    }

    private void add(NameTree.Entry entry, Pathname path) throws IOException {
        take(Checkpoint.name(entry, path));
    }

    private void take(LogRecord record) throws IOException {
        part.apply(table.key(), record, table.header().timeMs());
    }
}
