package io.chagres.cli.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
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
    private final BlobStore store;
    private final HostFiles host;
    private final Address address;
    private final Map<Long, Followed> followed = new TreeMap<>(); // older versions are written first
    private HostState state;
    private HostContent content;
    private final long firstNewVersion;
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
     * Begins to follow where the listed state of the files ends.
     *
     * @param store stays open
     */
    HostFollower(BlobStore store, HostFiles host, Address address) throws IOException {
        this.store = store;
        this.host = host;
        this.address = address;
        for (Selection.Entry file : host.files()) {
            followed.put(
                    file.version().id(),
                    new Followed(file.path(), file.version().length(), true));
        }
        firstNewVersion = host.state().nextVersionId();
        state = load();
        content = new HostContent(store, host.host().id(), state);
    }

    /** Writes what was committed since the last step. */
    void step(ContentSink sink) throws IOException {
        String hostId = host.host().id();
        if (store.size(ArchiveLayout.commit(hostId, state.seq() + 1)) >= 0) { // cheaper than a listing
            changed |= HostLog.refresh(store, hostId, state);
        }
        if (!changed) {
            return;
        }
        changed = false;
        if (!takeNew()) {
            content.close();
            state = load();
            content = new HostContent(store, hostId, state);
        }
        for (Map.Entry<Long, Followed> entry : followed.entrySet()) {
            FileVersion version = state.version(entry.getKey());
            if (version != null) {
                write(version, entry.getValue(), sink);
            }
        }
    }

    @Override
    public void close() {
        content.close();
    }

    private HostState load() throws IOException {
        ExtentFilter filter = ExtentFilter.of(id -> followed.containsKey(id) || id >= firstNewVersion);
        return HostLog.load(store, host.host().id(), PointInTime.NOW, filter, RunListener.NONE);
    }

    /** Takes up versions that the address has come to mean; false when one of them needs the state loaded again. */
    private boolean takeNew() {
        boolean readable = true;
        for (Selection.Entry file : Selection.of(state, address, false)) {
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

    private void write(FileVersion version, Followed at, ContentSink sink) throws IOException {
        if (!at.written) {
            skipCopies(version, at);
        }
        if (version.length() > at.position) {
            ContentSink.Origin origin = new ContentSink.Origin(host.host().name(), at.path, version.id());
            content.copy(version, at.position, version.length(), origin, sink);
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
