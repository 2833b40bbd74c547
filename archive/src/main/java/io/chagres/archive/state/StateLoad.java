package io.chagres.archive.state;

import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says what is loaded of a state, and where it is kept meanwhile: in memory, or mostly in local tables. Over tables it
 * begins with that of a checkpoint, or one that an earlier load made of the checkpoint and commits after it, and writes
 * what commits add into another one before it fills the memory. Confined to one thread.
 */
final class StateLoad {
    /** Reading this number of commits takes longer than to lay their state out. */
    private static final int MANY_COMMITS = 256;

    /** More than the bytes of a name or version in most tables: 4 to 8 where names are like each other. */
    private static final int MAX_ENTRY_BYTES = 16;

    /** Four MiB of records, behind which there is a table, add this number of times what is otherwise in memory. */
    private static final int COMMITS_ENTRIES = 3;

    private final BlobStore store;
    private final String hostId;
    private final ExtentFilter filter;
    private final RunListener listener;
    private final boolean isReplay;

    /** Null where all is in memory. */
    private final @Nullable LocalTables locals;

    private Map<Long, CommitHeader> known = Map.of();
    private int maxEntries = Integer.MAX_VALUE;
    private int maxChosen;
    private @Nullable NameChoice names;

    /** What the state stands over while names are looked up in the store. */
    private @Nullable SortedRows stored;

    /** What takes names and versions; null where the state keeps them. */
    private @Nullable HostRows rows;

    /** Whether the next load can continue from what this one writes. */
    private boolean keep;

    private boolean usesTables;
    private @Nullable CheckpointId checkpoint;
    private @Nullable StateTable rolled;
    private long firstSeq;

    /** Whether some of it was written that the next load does not find. */
    private boolean isRolled;

    /** Whether nothing can be written, or need be. */
    private boolean isRefused;

    private boolean isFreed;

    private StateLoad(
            BlobStore store,
            String hostId,
            ExtentFilter filter,
            RunListener listener,
            boolean isReplay,
            @Nullable LocalTables locals) {
        this.store = store;
        this.hostId = hostId;
        this.filter = filter;
        this.listener = listener;
        this.isReplay = isReplay;
        this.locals = locals;
        usesTables = !isReplay;
        isRefused = locals == null;
    }

    /**
     * Begins to load into memory.
     *
     * @param isReplay whether every commit behind the newest checkpoint is applied, so that the listener hears of each
     */
    static StateLoad inMemory(
            BlobStore store, String hostId, ExtentFilter filter, RunListener listener, boolean isReplay) {
        return new StateLoad(store, hostId, filter, listener, isReplay, null);
    }

    /** Begins to load what is of no name and no version; those go to the rows. */
    static StateLoad into(HostRows rows, BlobStore store, String hostId, RunListener listener) {
        StateLoad load = new StateLoad(store, hostId, ExtentFilter.NONE, listener, false, null);
        load.rows = rows;
        return load;
    }

    /** Begins to load over tables, with all extents; the listener does not hear what the checkpoint says. */
    static StateLoad over(LocalTables locals, BlobStore store, String hostId, RunListener listener, boolean isReplay) {
        return new StateLoad(store, hostId, ExtentFilter.ALL, listener, isReplay, locals);
    }

    /** Does not read some commits. */
    StateLoad knowing(Map<Long, CommitHeader> commits) {
        known = commits;
        return this;
    }

    /**
     * Ends with {@link LargeHostException} where there is more.
     *
     * @param entries how many names and versions there may be
     */
    StateLoad within(int entries) {
        maxEntries = entries;
        return this;
    }

    /**
     * Looks names up, and takes only what is chosen.
     *
     * @param entries how many names and versions that may be; the commits behind the tables may add some times as many
     */
    StateLoad choosing(NameChoice chosen, int entries) {
        names = chosen;
        maxChosen = entries;
        return within(COMMITS_ENTRIES * entries);
    }

    /** Returns what was asked for of a state that was loaded. */
    HostState chosen(HostState loaded) throws IOException {
        NameChoice of = names;
        return of == null ? loaded : HostPart.of(loaded, of, filter, maxChosen);
    }

    /** Keeps what it writes for the next load, if it loads everything there is. */
    StateLoad keeping(boolean isNow) {
        keep = isNow && locals != null && locals.isNamed();
        return this;
    }

    /** Returns what it loads from. */
    BlobStore store() {
        return store;
    }

    /** Returns a commit that need not be read; null for others. */
    @Nullable
    CommitHeader known(long seq) {
        return known.get(seq);
    }

    /** Says whether it needs to know where bytes are. */
    boolean wantsExtents() {
        return filter != ExtentFilter.NONE || listener != RunListener.NONE || rows != null;
    }

    /** Says whether a commit need not be read that a later one repeats. */
    boolean takesRepeats() {
        return usesTables && listener == RunListener.NONE;
    }

    /** Returns which tables help, of those that begin at a checkpoint; null when none do. */
    @Nullable
    Tables tables(@Nullable CheckpointId from, long seq) throws IOException {
        rolled = locals == null || isReplay ? null : locals.rolled(store, hostId, from);
        if (!usesTables) {
            return null;
        }
        Tables tables =
                wantsExtents() ? Tables.list(store, hostId, from, seq) : Tables.ofNames(store, hostId, from, seq);
        long bytes = tables.names().stream().mapToLong(Tables.Stored::bytes).sum();
        if (names == null && bytes / MAX_ENTRY_BYTES > maxEntries) {
            throw new LargeHostException();
        }
        boolean isNear = rolled != null && rolled.header().seq() + SpanTables.MAX_COMMITS >= tables.reached();
        rolled = isNear ? rolled : null;
        return isNear ? Tables.none(from) : tables;
    }

    /** Makes the state of a checkpoint and tables, or the one before the first commit, or one after some commits. */
    HostState begin(@Nullable CheckpointId base, @Nullable Tables tables, List<Long> commits, CommitReader reader)
            throws IOException {
        Tables of = tables == null ? Tables.none(base) : tables;
        checkpoint = base;
        boolean isStored = checkpoint != null || !of.names().isEmpty();
        SortedRows table = rolled;
        if (table == null || !isOf(table, commits, reader)) {
            table = isStored && names != null ? lookedUp(of) : null;
            table = isStored && locals != null ? locals.ofLarge(store, hostId, of) : table;
        }
        HostState state = table == null ? begun() : new HostState(table, listener, maxEntries);
        if (table == null && isStored) {
            TableMerge.restore(store, hostId, of, wantsExtents(), state);
        }
        firstSeq = state.seq();
        isRolled = false;
        return state;
    }

    private SortedRows lookedUp(Tables of) throws IOException {
        SortedRows opened = TableStack.open(store, hostId, of);
        stored = opened;
        return opened;
    }

    /** Makes the state before the first commit. */
    HostState begun() {
        return rows == null ? new HostState(filter, listener, maxEntries) : new HostState(rows, listener);
    }

    /** Says whether a table is of one of these commits. */
    private boolean isOf(SortedRows table, List<Long> commits, CommitReader reader) throws IOException {
        FixedHeader header = table.header();
        return !commits.isEmpty()
                && commits.getFirst() <= header.seq()
                && header.seq() <= commits.getLast()
                && Arrays.equals(
                        header.chain(),
                        CommitList.commit(hostId, header.seq(), reader).chain());
    }

    /** Makes the state of a moment that only a history records. */
    HostState past(History.Found found) throws IOException {
        HostState state = History.replay(store, found, begun(), this::withLengths);
        if (isLarge(state)) {
            try (PastContents places = new PastContents(store, hostId, found, state)) {
                HostState written = written(state, places);
                places.finish();
                if (written != null) {
                    return written;
                }
            }
        }
        try (PastContents places = new PastContents(store, hostId, found, state)) {
            state.attach(places);
            places.finish();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return state;
    }

    private boolean isLarge(HostState state) {
        return !isRefused
                && locals != null
                && (state.isLarge() || locals.isLarge(state.keptVersions().size()));
    }

    /** Returns what stands for a state of names and lengths from now on, if it fills the memory. */
    HostState withLengths(HostState state) throws IOException {
        return relieved(state, CheckpointContents.LENGTHS);
    }

    private HostState relieved(HostState state, CheckpointContents contents) throws IOException {
        if (isRefused || locals == null || !locals.isFull(state)) {
            return state;
        }
        tellFreed(); // what was written the last time is on no stack now
        return replaced(state, locals.roll(hostId, state, contents, false));
    }

    /** Writes all of a state with other contents; null where that is not possible. */
    private @Nullable HostState written(HostState state, CheckpointContents contents) throws IOException {
        try {
            SortedRows table = locals == null ? null : locals.roll(hostId, state, contents, true);
            HostState written = replaced(state, table);
            return written == state ? null : written;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Returns the state over what it was written into; itself where it was not. */
    private HostState replaced(HostState state, @Nullable SortedRows table) throws IOException {
        isRefused = table == null;
        isFreed = table != null;
        return table == null ? state : new HostState(table, state);
    }

    /** Returns what stands for the state from now on; after each commit. */
    HostState applied(HostState state, boolean isLast) throws IOException {
        tellFreed();
        if (isRefused || locals == null) {
            return state;
        }
        boolean isLarge = locals.isLarge(state.keptVersions().size());
        boolean fills = locals.isFull(state);
        boolean keeps = isLast && keep;
        boolean helps = (isLast && isLarge) || (keeps && (isRolled || state.seq() - firstSeq >= MANY_COMMITS));
        if (!fills && !helps) {
            return state;
        }
        HostState written = replaced(state, locals.roll(store, hostId, checkpoint, state, keeps));
        isRolled = true;
        isFreed &= fills || isLarge;
        return written;
    }

    /** Takes commits in the place of tables from now on; returns whether it did not so far. */
    boolean avoidTables() {
        boolean used = usesTables;
        usesTables = false;
        known = Map.of();
        return used;
    }

    /** Waits until the rows are taken. */
    void settle() throws CorruptArchiveException {
        if (rows != null) {
            rows.settle();
        }
    }

    /** Forgets what was begun. */
    void restart() {
        listener.restart();
        if (rows != null) {
            rows.restart();
        }
        close();
    }

    private void close() {
        if (stored != null) {
            stored.close();
            stored = null;
        }
    }

    /** Ends it: the caller keeps the state, null for none, and no stack holds one that was laid out before. */
    void end(@Nullable HostState state) {
        if (state != null) {
            state.setLoaded();
            tellFreed();
        }
        if (locals != null) {
            locals.settle(hostId, state == null ? null : state.rows());
        }
        close();
    }

    /** Hears that nobody holds the state that another stands for now. */
    void tellFreed() {
        if (isFreed && locals != null) {
            isFreed = false;
            locals.freed();
        }
    }
}
