package io.chagres.archive.read;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the versions that others copy from. A state that keeps the extents of a few versions does not keep those of
 * their sources: they are loaded when the first copy is read. Confined to one thread at a time.
 */
final class CopySources implements CopySourceFinder {
    private final BlobStore store;
    private final String hostId;
    private final HostState state;
    private final Set<Long> wanted = new HashSet<>();
    private HostState loaded = HostState.empty();

    CopySources(BlobStore store, String hostId, HostState state) {
        this.store = store;
        this.hostId = hostId;
        this.state = state;
    }

    @Override
    public @Nullable FileVersion of(LogRecord.CopyRun copy) throws IOException {
        FileVersion source = state.version(copy.sourceVersion());
        if (source == null || source.extents() != null) {
            return source;
        }
        FileVersion found = loaded.version(copy.sourceVersion());
        if (found == null || found.extents() == null || found.length() < source.length()) {
            wanted.add(copy.sourceVersion());
            collect(state);
            collect(loaded);
            PointInTime at = new PointInTime(state.seq(), Long.MAX_VALUE);
            loaded = HostLog.load(store, hostId, at, ExtentFilter.of(wanted::contains), RunListener.NONE);
            found = loaded.version(copy.sourceVersion());
        }
        return found;
    }

    /** Notes all sources at once, so that the log is read once more and not once for each. */
    private void collect(HostState from) {
        for (FileVersion version : from.versions()) {
            if (version.extents() == null) {
                continue;
            }
            for (LogRecord.Extent extent : version.extents()) {
                if (extent instanceof LogRecord.CopyRun copy) {
                    wanted.add(copy.sourceVersion());
                }
            }
        }
    }
}
