package io.chagres.archive.state;

import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A host as it was at a moment: names and versions, and where the bytes of versions are once somebody asks. A small
 * host is in memory; of a large one most is in a local table, whose blocks are read as they are needed. Confined to
 * one thread.
 */
public final class HostView {
    /** A host of more names and versions is not read as a whole where few of them are asked for. */
    private static final int SMALL_ENTRIES = 4096;

    private final BlobStore store;
    private final String hostId;
    private final PointInTime at;
    private final HostState state;
    private final boolean knowsPlaces;

    private HostView(BlobStore store, String hostId, PointInTime at, HostState state, boolean knowsPlaces) {
        this.store = store;
        this.hostId = hostId;
        this.at = at;
        this.state = state;
        this.knowsPlaces = knowsPlaces;
    }

    /**
     * Opens a host; one that has no commit yet is empty.
     *
     * @param at up to which moment
     * @param tables where those of large hosts are; they outlive the view
     * @throws io.chagres.archive.CorruptArchiveException naming the object that is damaged or missing
     */
    public static HostView open(BlobStore store, String hostId, PointInTime at, LocalTables tables) throws IOException {
        return open(store, hostId, at, ExtentFilter.NONE, tables);
    }

    /**
     * Opens a host as above, and knows from the beginning where bytes are.
     *
     * @param filter the versions whose extents are kept, at least
     */
    public static HostView open(BlobStore store, String hostId, PointInTime at, ExtentFilter filter, LocalTables tables)
            throws IOException {
        return open(store, hostId, at, filter, null, tables);
    }

    /**
     * Opens a host as above; of a large one it may know chosen names only, and the versions that have or had them.
     *
     * @param names chooses them; null chooses all
     */
    public static HostView open(
            BlobStore store,
            String hostId,
            PointInTime at,
            ExtentFilter filter,
            @Nullable NameChoice names,
            LocalTables tables)
            throws IOException {
        int most = tables.maxInMemory();
        try {
            StateLoad load = StateLoad.inMemory(store, hostId, filter, RunListener.NONE, false);
            HostState small =
                    HostLog.load(store, hostId, at, load.within(names == null ? most : Math.min(most, SMALL_ENTRIES)));
            return new HostView(store, hostId, at, small, filter != ExtentFilter.NONE);
        } catch (LargeHostException e) {
            return new HostView(store, hostId, at, large(store, hostId, at, names, tables), true);
        }
    }

    private static HostState large(
            BlobStore store, String hostId, PointInTime at, @Nullable NameChoice names, LocalTables tables)
            throws IOException {
        if (names != null) {
            try {
                return part(store, hostId, at, names, tables.maxInMemory());
            } catch (LargeHostException e) {
                // the names that were chosen are many
            }
        }
        return HostLog.load(store, hostId, at, tables);
    }

    /**
     * Looks up what is chosen of the state of a host, with all extents.
     *
     * @param maxEntries how many names and versions that may be
     * @throws LargeHostException when it has more
     */
    static HostState part(BlobStore store, String hostId, PointInTime at, NameChoice names, int maxEntries)
            throws IOException {
        StateLoad load = StateLoad.inMemory(store, hostId, ExtentFilter.ALL, RunListener.NONE, false);
        return HostLog.load(store, hostId, at, load.choosing(names, maxEntries));
    }

    /** Returns a view of a state that is in memory and knows where all bytes are. */
    public static HostView of(BlobStore store, String hostId, PointInTime at, HostState loaded) {
        return new HostView(store, hostId, at, loaded, true);
    }

    /** Returns names, versions, sizes and times; where bytes are only of what {@link #located} was asked for. */
    public HostState state() {
        return state;
    }

    /**
     * Finds where the bytes of some versions are.
     *
     * @param versionIds asked only where that is not known already
     * @return the state to ask: this one, or one that may know more
     * @throws io.chagres.archive.CorruptArchiveException naming the object that is damaged or missing
     */
    public HostState located(Supplier<Set<Long>> versionIds) throws IOException {
        Set<Long> wanted = knowsPlaces ? Set.of() : versionIds.get();
        return wanted.isEmpty() ? state : HostLog.locate(store, hostId, state, at, wanted);
    }
}
