package io.chagres.archive.state;

import io.chagres.archive.CheckpointId;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads a state that is mostly in local tables: that of a checkpoint, or one an earlier load made of the checkpoint and
 * commits after it. What commits add is written as another table before it fills the memory. Confined to one thread.
 */
final class TableLoad implements HostLog.Load {
    /** Reading this number of commits takes longer than to lay their state out. */
    private static final int MANY_COMMITS = 256;

    /** The lengths of versions, as a history has them. */
    static final CheckpointContents LENGTHS = new CheckpointContents() {
        @Override
        public Iterable<LogRecord.Extent> extents(FileVersion version) {
            return List.of();
        }

        @Override
        public boolean tellsLengths() {
            return true;
        }
    };

    private final LocalTables locals;
    private final BlobStore store;
    private final String hostId;
    private final boolean keep;
    private final boolean isReplay;
    private final RunListener listener;
    private boolean usesTables;
    private @Nullable CheckpointId checkpoint;
    private @Nullable StateTable rolled;
    private long firstSeq;
    private boolean isRefused;
    private boolean isFreed;

    /**
     * Begins.
     *
     * @param isNow whether everything there is will be loaded, so that the next load can continue from there
     */
    TableLoad(LocalTables locals, BlobStore store, String hostId, boolean isNow) {
        this(locals, store, hostId, isNow, false, RunListener.NONE);
    }

    /**
     * Begins to apply every commit behind the newest checkpoint.
     *
     * @param listener hears of each
     */
    static TableLoad ofReplay(LocalTables locals, BlobStore store, String hostId, RunListener listener) {
        return new TableLoad(locals, store, hostId, false, true, listener);
    }

    private TableLoad(
            LocalTables locals, BlobStore store, String hostId, boolean isNow, boolean isReplay, RunListener listener) {
        this.locals = locals;
        this.store = store;
        this.hostId = hostId;
        this.isReplay = isReplay;
        this.listener = listener;
        usesTables = !isReplay;
        keep = isNow && locals.isNamed();
    }

    @Override
    public HostState begin(HostLog.Span span, CommitReader reader) throws IOException {
        checkpoint = span.checkpoint();
        StateTable table = rolled;
        if (table != null && isOf(table, span.commits(), reader)) {
            return begun(new HostState(table, listener));
        }
        return begun(ofCheckpoint());
    }

    @Override
    public HostState through(HostState before, Tables tables, boolean isLast) throws IOException {
        HostState state = before;
        for (Tables.Stored each : tables.names()) {
            state = SpanTables.apply(store, each, state, this::relieved);
        }
        return applied(attached(state, tables), isLast);
    }

    private HostState ofCheckpoint() throws IOException {
        StateTable table = checkpoint == null ? null : locals.ofLarge(store, hostId, checkpoint);
        if (table != null) {
            return new HostState(table, listener);
        }
        HostState state = new HostState(ExtentFilter.ALL, listener);
        if (checkpoint != null) {
            Checkpoint.restore(store, hostId, checkpoint, state);
        }
        return state;
    }

    /** Returns the state with where its bytes are; of a large one it is written into another table. */
    private HostState attached(HostState state, Tables tables) throws IOException {
        boolean isLarge =
                state.table() != null || locals.isLarge(state.keptVersions().size());
        StateTable table = null;
        if (isLarge && !isRefused) {
            tellFreed();
            try (AttachedContents contents = new AttachedContents(store, tables)) {
                table = locals.roll(hostId, state, contents, true);
                contents.finish();
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
        if (table == null) {
            isRefused |= isLarge;
            SpanTables.attach(store, tables, state);
            return state;
        }
        isFreed = true;
        return new HostState(table, state);
    }

    private HostState begun(HostState state) {
        firstSeq = state.seq();
        return state;
    }

    @Override
    public @Nullable Tables tables(@Nullable CheckpointId from, long seq) throws IOException {
        if (isReplay) {
            return null;
        }
        StateTable table = locals.rolled(store, hostId, from);
        rolled = table;
        if (!usesTables) {
            return null;
        }
        Tables tables = Tables.list(store, hostId, from, seq);
        boolean isNear = table != null && table.header().seq() + SpanTables.MAX_COMMITS >= tables.reached();
        return isNear ? Tables.none(from) : tables;
    }

    @Override
    public BlobStore store() {
        return store;
    }

    @Override
    public boolean takesRepeats() {
        return usesTables;
    }

    @Override
    public void restart() {
        listener.restart();
    }

    @Override
    public boolean avoidTables() {
        boolean used = usesTables;
        usesTables = false;
        return used;
    }

    @Override
    public HostState past(History.Found found) throws IOException {
        HostState state = new HostState(ExtentFilter.ALL, RunListener.NONE);
        state = History.replay(store, found, state, this::withLengths);
        boolean isLarge =
                state.table() != null || locals.isLarge(state.keptVersions().size());
        StateTable newest = isLarge ? locals.of(store, hostId, found.checkpoint()) : null;
        StateTable table = null;
        if (newest != null) {
            try {
                table = locals.roll(hostId, state, PastContents.of(found, newest, state), true);
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
        if (table == null) {
            History.attach(store, hostId, found, state);
            return state;
        }
        isFreed = true;
        return new HostState(table, state);
    }

    private HostState withLengths(HostState state) throws IOException {
        return rolled(state, () -> locals.roll(hostId, state, LENGTHS, false));
    }

    private HostState relieved(HostState state) throws IOException {
        return rolled(state, () -> locals.roll(hostId, state, AttachedContents.UNATTACHED, false));
    }

    /** Makes a table. */
    private interface Rolling {
        @Nullable
        StateTable table() throws IOException;
    }

    /** Returns what stands for a state from now on, if it fills the memory. */
    private HostState rolled(HostState state, Rolling rolling) throws IOException {
        if (isRefused || !locals.isFull(state)) {
            return state;
        }
        tellFreed(); // what was written the last time is on no stack now
        StateTable table = rolling.table();
        isRefused = table == null;
        isFreed = table != null;
        return table == null ? state : new HostState(table, state);
    }

    /** Says whether a table is of one of these commits. */
    private boolean isOf(StateTable table, List<Long> commits, CommitReader reader) throws IOException {
        FixedHeader header = table.header();
        return !commits.isEmpty()
                && commits.getFirst() <= header.seq()
                && header.seq() <= commits.getLast()
                && Arrays.equals(
                        header.chain(),
                        HostLog.read(hostId, header.seq(), reader).chain());
    }

    @Override
    public HostState applied(HostState state, boolean isLast) throws IOException {
        tellFreed();
        int kept = state.keptVersions().size();
        boolean fills = locals.isFull(state);
        boolean helps = isLast && (locals.isLarge(kept) || keep && state.seq() - firstSeq >= MANY_COMMITS);
        if (isRefused || !fills && !helps) {
            return state;
        }
        StateTable table = locals.roll(store, hostId, checkpoint, state, keep);
        isRefused = table == null;
        isFreed = table != null && (fills || locals.isLarge(kept));
        return table == null ? state : new HostState(table, state);
    }

    @Override
    public void relieved() {
        tellFreed();
    }

    /** Ends it. No stack holds the state that was laid out last. */
    void end() {
        tellFreed();
    }

    private void tellFreed() {
        if (isFreed) {
            isFreed = false;
            locals.freed();
        }
    }
}
