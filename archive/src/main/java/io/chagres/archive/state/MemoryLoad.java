package io.chagres.archive.state;

import io.chagres.archive.CheckpointId;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Loads a state into memory. Confined to one thread. */
final class MemoryLoad implements HostLog.Load {
    private final BlobStore store;
    private final String hostId;
    private final ExtentFilter filter;
    private final RunListener listener;
    private final int maxEntries;
    private final @Nullable NameFilter names;
    private boolean usesTables;
    private Map<Long, CommitHeader> known;

    MemoryLoad(
            BlobStore store,
            String hostId,
            ExtentFilter filter,
            RunListener listener,
            boolean usesTables,
            Map<Long, CommitHeader> known,
            int maxEntries) {
        this(store, hostId, filter, listener, known, maxEntries, null);
        this.usesTables = usesTables;
    }

    private MemoryLoad(
            BlobStore store,
            String hostId,
            ExtentFilter filter,
            RunListener listener,
            Map<Long, CommitHeader> known,
            int maxEntries,
            @Nullable NameFilter names) {
        boolean comesBack = filter == ExtentFilter.NONE && listener == RunListener.NONE;
        this.store = comesBack ? new KeptCheckpoint(store, hostId) : store;
        this.hostId = hostId;
        this.filter = filter;
        this.listener = listener;
        usesTables = true;
        this.known = known;
        this.maxEntries = maxEntries;
        this.names = names;
    }

    /**
     * Begins to load what a filter chooses, with all extents.
     *
     * @param maxEntries how many names and versions that may be
     */
    static MemoryLoad of(BlobStore store, String hostId, NameFilter names, int maxEntries) {
        return new MemoryLoad(store, hostId, ExtentFilter.ALL, RunListener.NONE, Map.of(), maxEntries, names);
    }

    @Override
    public BlobStore store() {
        return store;
    }

    @Override
    public @Nullable CommitHeader known(long seq) {
        return known.get(seq);
    }

    @Override
    public boolean wantsExtents() {
        return filter != ExtentFilter.NONE || listener != RunListener.NONE;
    }

    @Override
    public boolean takesRepeats() {
        return usesTables && listener == RunListener.NONE;
    }

    @Override
    public @Nullable Tables tables(@Nullable CheckpointId checkpoint, long seq) throws IOException {
        if (!usesTables) {
            return null;
        }
        return wantsExtents()
                ? Tables.list(store, hostId, checkpoint, seq)
                : Tables.ofNames(store, hostId, checkpoint, seq);
    }

    @Override
    public HostState begin(HostLog.Span span, CommitReader reader) throws IOException {
        HostState state = begun();
        CheckpointId checkpoint = span.checkpoint();
        if (checkpoint != null && names != null) {
            CheckpointPart.restore(store, hostId, checkpoint, state, names);
        } else if (checkpoint != null) {
            Checkpoint.restore(store, hostId, checkpoint, state);
        }
        return state;
    }

    @Override
    public HostState through(HostState state, Tables tables, boolean isLast) throws IOException {
        for (Tables.Stored table : tables.names()) {
            SpanTables.apply(store, table, state, same -> same);
        }
        if (wantsExtents()) {
            SpanTables.attach(store, tables, state);
        }
        return state;
    }

    @Override
    public boolean avoidTables() {
        boolean used = usesTables;
        usesTables = false;
        known = Map.of();
        return used;
    }

    @Override
    public void restart() {
        listener.restart();
    }

    @Override
    public HostState past(History.Found found) throws IOException {
        if (names != null) {
            throw new LargeHostException(); // histories have no index
        }
        HostState state = begun();
        History.restore(store, hostId, found, state);
        return state;
    }

    private HostState begun() {
        return new HostState(filter, listener, maxEntries, names);
    }
}
