package io.chagres.archive.state;

import io.chagres.archive.CheckpointId;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads a state of which most is in catalogs: that of a checkpoint, or one an earlier load made of the checkpoint and
 * commits after it. What commits add is laid out as another catalog before it fills the memory. Confined to one thread.
 */
final class CataloguedLoad implements HostLog.Load {
    /** Reading so many commits takes longer than to lay their state out. */
    private static final int MANY_COMMITS = 256;

    /** A larger outline is of a host whose state should never be in memory as a whole. */
    private static final long MAX_OUTLINE_BYTES = 4 << 20;

    /** A catalog is made again when so large a part of it was added. */
    private static final int GROWTH = 4;

    private final Catalogs catalogs;
    private final BlobStore store;
    private final String hostId;
    private final boolean keep;
    private boolean usesOutlines = true;
    private @Nullable CheckpointId checkpoint;
    private long firstSeq;
    private boolean isRefused;
    private boolean isFreed;

    /**
     * Begins.
     *
     * @param isNow whether everything there is will be loaded, so that the next load can go on from there
     */
    CataloguedLoad(Catalogs catalogs, BlobStore store, String hostId, boolean isNow) {
        this.catalogs = catalogs;
        this.store = store;
        this.hostId = hostId;
        keep = isNow && catalogs.isNamed();
    }

    @Override
    public HostState begin(HostLog.Span span, CommitReader reader) throws IOException {
        CheckpointId from = span.checkpoint();
        List<Long> commits = span.commits();
        checkpoint = from;
        Tables tables = span.tables();
        boolean outlined = tables != null && span.before() > tables.base().seq();
        CatalogFile catalog = catalogs.rolled(store, hostId, from);
        if (catalog == null || !isOf(catalog, commits, reader)) {
            catalog = from == null || outlined ? null : catalogs.of(store, hostId, from);
        }
        if (catalog != null) {
            HostState state = new HostState(catalog);
            firstSeq = state.seq();
            return state;
        }
        if (tables == null || !outlined) {
            HostState state = HostLog.restored(store, hostId, from, ExtentFilter.ALL, RunListener.NONE);
            firstSeq = state.seq();
            return state;
        }
        HostState state = new HostState(ExtentFilter.ALL, RunListener.NONE);
        Outlines.restore(store, hostId, tables, span.before(), state, true);
        firstSeq = tables.base().seq();
        return applied(state, commits.isEmpty());
    }

    @Override
    public @Nullable Tables tables(@Nullable CheckpointId from, long seq) throws IOException {
        return usesOutlines ? Tables.list(store, hostId, from, seq, MAX_OUTLINE_BYTES) : null;
    }

    @Override
    public BlobStore store() {
        return store;
    }

    @Override
    public boolean takesRepeats() {
        return usesOutlines;
    }

    @Override
    public boolean avoidOutlines() {
        boolean used = usesOutlines;
        usesOutlines = false;
        return used;
    }

    @Override
    public HostState past(History.Found found) throws IOException {
        HostState state = new HostState(ExtentFilter.ALL, RunListener.NONE);
        History.restore(store, hostId, found, state);
        return state;
    }

    /** Says whether a catalog is of one of these commits. */
    private boolean isOf(CatalogFile catalog, List<Long> commits, CommitReader reader) throws IOException {
        FixedHeader header = catalog.header();
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
        CatalogFile below = state.catalog();
        int catalogued = below == null ? 0 : below.versionCount();
        boolean fills = kept >= Math.max(catalogs.maxKept(), catalogued / GROWTH);
        boolean helps = isLast && (catalogs.isLarge(kept) || keep && state.seq() - firstSeq >= MANY_COMMITS);
        if (isRefused || !fills && !helps) {
            return state;
        }
        CatalogFile catalog = catalogs.roll(store, hostId, checkpoint, state, keep);
        isRefused = catalog == null;
        isFreed = catalog != null && catalogs.isLarge(kept);
        return catalog == null ? state : new HostState(catalog);
    }

    /** Ends it. The state that was laid out last is on no stack any more. */
    void end() {
        tellFreed();
    }

    private void tellFreed() {
        if (isFreed) {
            isFreed = false;
            catalogs.freed();
        }
    }
}
