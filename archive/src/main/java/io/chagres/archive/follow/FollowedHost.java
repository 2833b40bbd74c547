package io.chagres.archive.follow;

import io.chagres.archive.CheckpointId;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The newest state of a host and the bytes of its files, kept up to date. Confined to one thread. */
public final class FollowedHost implements AutoCloseable {
    /** A machine that slept for days finds that the next commit was compacted away; this often it looks for that. */
    private static final int REFRESHES_PER_COMPACTION_CHECK = 60;

    private final BlobStore store;
    private final String hostId;
    private final ExtentFilter filter;
    private final LocalTables tables;
    private HostState state = HostState.empty();
    private @Nullable VersionContent content;
    private int idleRefreshes;

    /**
     * Holds an empty state before the first {@link #reload}.
     *
     * @param store stays the caller's
     * @param filter whose extents are kept at least; it is asked anew at each load
     * @param tables where a large host is; stays the caller's
     */
    public FollowedHost(BlobStore store, String hostId, ExtentFilter filter, LocalTables tables) {
        this.store = store;
        this.hostId = hostId;
        this.filter = filter;
        this.tables = tables;
    }

    /** Returns the state; it changes in {@link #refresh}, and {@link #reload} makes another one. */
    public HostState state() {
        return state;
    }

    /** Returns what reads the files of the state, until the next {@link #reload}. */
    public VersionContent content() {
        return Objects.requireNonNull(content, "reload() comes first");
    }

    /** Takes what was committed since; returns whether anything was. */
    public boolean refresh() throws IOException {
        if (HostLog.refresh(store, hostId, state)) {
            idleRefreshes = 0;
            return true;
        }
        if (++idleRefreshes % REFRESHES_PER_COMPACTION_CHECK == 0) {
            CheckpointId newest = Checkpoints.newest(store, hostId);
            if (newest != null && newest.seq() > state.seq()) {
                reload();
                return true;
            }
        }
        return false;
    }

    /** Reads the state from the archive; the old one stays if that fails. */
    public void reload() throws IOException {
        HostState fresh = HostLog.open(store, hostId, PointInTime.NOW, filter, null, tables);
        close();
        state = fresh;
        content = new VersionContent(store, hostId, state);
    }

    @Override
    public void close() {
        if (content != null) {
            content.close();
            content = null;
        }
    }
}
