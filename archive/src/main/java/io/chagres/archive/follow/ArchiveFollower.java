package io.chagres.archive.follow;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.Shard;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Follows the files an address means, of the hosts there are and of those that come. {@link #wakeup} is safe for any
 * thread, the rest is confined to one.
 */
public final class ArchiveFollower implements AutoCloseable {
    private final BlobStore store;
    private final Address address;
    private final ArchiveEvents events;
    private final HostArrivals arrivals;
    private final Map<String, HostFollower> hosts = new TreeMap<>();
    private final HostFaults faults;
    private final LocalTables tables;

    /**
     * Follows nothing yet; a host that {@link #from} does not name is taken up by the first step, with all its files.
     *
     * @param store stays the caller's
     * @param clockMs a clock that never goes back
     * @param faults hears of a host that cannot be read; it is no longer followed
     * @param tables where large hosts are; stays the caller's
     */
    public ArchiveFollower(
            BlobStore store, Address address, LongSupplier clockMs, HostFaults faults, LocalTables tables)
            throws IOException {
        this.tables = tables;
        this.faults = faults;
        this.store = store;
        this.address = address;
        events = new ArchiveEvents(store);
        arrivals = new HostArrivals(store, address, Shard.ALL, clockMs, events);
    }

    /**
     * Follows files of a host from where they end in a state on.
     *
     * @param shown what of the host is known already
     * @param files those that are followed though they are there
     */
    public void from(HostRegistry.Owner host, HostState shown, Iterable<Selection.Entry> files) throws IOException {
        arrivals.add(host);
        follow(host, shown.nextVersionId(), files);
    }

    private void follow(HostRegistry.Owner host, long firstNewVersion, Iterable<Selection.Entry> files)
            throws IOException {
        faults.attempt(
                host,
                () -> hosts.put(host.id(), new HostFollower(store, host, address, firstNewVersion, files, tables)));
    }

    /** Tells what was committed since the last step. */
    public void step(FollowListener listener) throws IOException {
        for (HostRegistry.Owner host : arrivals.next()) {
            follow(host, HostState.empty().nextVersionId(), List.of());
        }
        for (HostFollower host : List.copyOf(hosts.values())) {
            if (!faults.attempt(host.owner(), () -> host.step(listener))) {
                hosts.remove(host.owner().id());
                host.close();
            }
        }
    }

    /** Waits until there may be something new, or for {@link #wakeup}. */
    public void await() {
        events.await();
    }

    /** Ends a wait, or the next one. Does nothing once closed. */
    public void wakeup() {
        events.wakeup();
    }

    @Override
    public void close() {
        hosts.values().forEach(HostFollower::close);
        events.close();
    }
}
