package io.chagres.archive.read;

import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The commits between two moments. Immutable.
 *
 * @param since the state at the first moment; null for the beginning
 * @param until the state at the last moment; null for the end
 */
public record CommitWindow(
        @Nullable HostState since, @Nullable HostState until) {
    /**
     * Returns what was committed of a host after a time and up to another.
     *
     * @param since null for the beginning
     * @param until null for the end
     */
    public static CommitWindow of(
            BlobStore store, String hostId, @Nullable Instant since, @Nullable Instant until, LocalTables tables)
            throws IOException {
        return new CommitWindow(bound(store, hostId, since, tables), bound(store, hostId, until, tables));
    }

    private static @Nullable HostState bound(BlobStore store, String hostId, @Nullable Instant time, LocalTables tables)
            throws IOException {
        return time == null
                ? null
                : HostLog.open(store, hostId, PointInTime.time(time.toEpochMilli()), ExtentFilter.NONE, null, tables);
    }

    /** Says whether anything of a version may have been committed after a time and up to another, null for none. */
    public static boolean mayHold(FileVersion version, @Nullable Instant since, @Nullable Instant until) {
        return (since == null || version.changedMs() > since.toEpochMilli())
                && (until == null || version.openedMs() <= until.toEpochMilli());
    }

    /** Returns the position of a version's first byte in the window. */
    public long start(FileVersion version) {
        return since == null ? version.startPosition() : Math.max(version.startPosition(), length(since, version));
    }

    /** Returns the position after a version's last byte in the window. */
    public long end(FileVersion version) {
        return until == null ? version.length() : Math.min(version.length(), length(until, version));
    }

    private static long length(HostState state, FileVersion version) {
        FileVersion then = state.version(version.id());
        return then == null ? 0 : then.length();
    }
}
