package io.chagres.archive.follow;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Follows the files an address means, of the hosts there are and of those that come. {@link #wakeup} is safe for any
 * thread, the rest is confined to one.
 */
public final class ArchiveFollower implements AutoCloseable {
    /** Where each list is paid for, new hosts are looked for less often than new commits. */
    private static final long LIST_HOSTS_MS = 10_000;

    private final BlobStore store;
    private final Address address;
    private final LongSupplier clockMs;
    private final ArchiveEvents events;
    private final Map<String, HostFollower> hosts = new TreeMap<>();
    private final HostFaults faults;
    private final Set<String> others = new HashSet<>();
    private long listedMs = Long.MIN_VALUE;

    /**
     * Follows nothing yet; a host that {@link #from} does not name is taken up by the first step, with all its files.
     *
     * @param store stays the caller's
     * @param clockMs a clock that never goes back
     * @param faults is told of a host that cannot be read; it is not followed any more
     */
    public ArchiveFollower(BlobStore store, Address address, LongSupplier clockMs, HostFaults faults)
            throws IOException {
        this.faults = faults;
        this.store = store;
        this.address = address;
        this.clockMs = clockMs;
        events = new ArchiveEvents(store);
    }

    /**
     * Follows files of a host from where they end in a state on.
     *
     * @param shown what of the host is known already
     * @param files those that are followed though they are there
     */
    public void from(HostRegistry.Owner host, HostState shown, List<Selection.Entry> files) throws IOException {
        events.watch(ArchiveLayout.log(host.id())); // before it is loaded, so that no commit is missed
        boolean followed = faults.attempt(
                host, () -> hosts.put(host.id(), new HostFollower(store, host, address, shown.nextVersionId(), files)));
        if (!followed) {
            others.add(host.id());
        }
    }

    /** Tells what was committed since the last step. */
    public void step(FollowListener listener) throws IOException {
        takeUpHosts();
        for (HostFollower host : List.copyOf(hosts.values())) {
            if (!faults.attempt(host.owner(), () -> host.step(listener))) {
                leave(host);
            }
        }
    }

    private void leave(HostFollower host) {
        hosts.remove(host.owner().id());
        others.add(host.owner().id());
        host.close();
    }

    private void takeUpHosts() throws IOException {
        long now = clockMs.getAsLong();
        boolean isFree = store.directory(ArchiveLayout.NAMES) != null;
        if (!isFree && listedMs != Long.MIN_VALUE && now - listedMs < LIST_HOSTS_MS) {
            return;
        }
        listedMs = now;
        events.watch(ArchiveLayout.NAMES);
        for (HostRegistry.Owner host : Address.hosts(store, address)) {
            if (!hosts.containsKey(host.id()) && !others.contains(host.id())) {
                from(host, HostState.empty(), List.of());
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
