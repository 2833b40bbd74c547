package io.chagres.archive.follow;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Follows files of one host: the versions an address chose first, and every version that it comes to mean later. It
 * follows versions and not names, so that the end of a rotated file is not missed. Confined to one thread.
 */
final class HostFollower implements AutoCloseable {
    private final HostRegistry.Owner host;
    private final Address address;
    private final Map<Long, Followed> followed = new TreeMap<>(); // older versions are written first
    private final long firstNewVersion;
    private final FollowedHost newest;
    private boolean changed = true; // the state is newer than the listing

    /** How far a version has been written. */
    private static final class Followed {
        private final Pathname path;
        private long position;
        private boolean written;

        Followed(Pathname path, long position, boolean written) {
            this.path = path;
            this.position = position;
            this.written = written;
        }
    }

    /**
     * Begins to follow files where they end.
     *
     * @param store stays open
     * @param firstNewVersion versions from this one on are new
     * @param tables where a large host is; stays the caller's
     */
    HostFollower(
            BlobStore store,
            HostRegistry.Owner host,
            Address address,
            long firstNewVersion,
            Iterable<Selection.Entry> files,
            LocalTables tables)
            throws IOException {
        this.host = host;
        this.address = address;
        this.firstNewVersion = firstNewVersion;
        for (Selection.Entry file : files) {
            followed.put(
                    file.version().id(),
                    new Followed(file.path(), file.version().length(), true));
        }
        ExtentFilter filter = ExtentFilter.of(id -> followed.containsKey(id) || id >= firstNewVersion);
        newest = new FollowedHost(store, host.id(), filter, tables);
        newest.reload();
    }

    /** Returns whose files it follows. */
    HostRegistry.Owner owner() {
        return host;
    }

    /** Tells what was committed since the last step. */
    void step(FollowListener listener) throws IOException {
        changed |= newest.refresh();
        if (!changed) {
            return;
        }
        changed = false;
        if (!takeNew()) {
            newest.reload();
        }
        for (Map.Entry<Long, Followed> entry : followed.entrySet()) {
            FileVersion version = newest.state().version(entry.getKey());
            if (version != null) {
                tell(version, entry.getValue(), listener);
            }
        }
    }

    @Override
    public void close() {
        newest.close();
    }

    /** Takes up versions that the address has come to mean; false when one of them needs the state loaded again. */
    private boolean takeNew() {
        boolean readable = true;
        for (Selection.Entry file : Selection.of(newest.state(), address, false)) {
            FileVersion version = file.version();
            if (!followed.containsKey(version.id())) {
                boolean old = version.id() < firstNewVersion; // it was there, under a name that did not match
                long position = old ? version.length() : version.startPosition();
                followed.put(version.id(), new Followed(file.path(), position, old));
                readable &= !old;
            }
        }
        return readable;
    }

    private void tell(FileVersion version, Followed at, FollowListener listener) throws IOException {
        if (!at.written) {
            skipCopies(version, at);
        }
        if (version.length() > at.position) {
            listener.appended(host, at.path, version, at.position, version.length(), newest.content());
            at.position = version.length();
            at.written = true;
        }
    }

    /** A copy of a followed file (copytruncate) begins with bytes that were written already. */
    private void skipCopies(FileVersion version, Followed at) {
        for (LogRecord.Extent extent : Objects.requireNonNull(version.extents())) {
            boolean copy = extent instanceof LogRecord.CopyRun run && followed.containsKey(run.sourceVersion());
            if (extent.start() >= at.position) {
                if (!copy) {
                    return;
                }
                at.position = extent.end();
            }
        }
    }
}
