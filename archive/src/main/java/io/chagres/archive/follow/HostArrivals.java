package io.chagres.archive.follow;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Shard;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/** The hosts of a shard that an address means, each given once when it comes. Confined to one thread. */
public final class HostArrivals {
    /** Where each list is paid for, new hosts are looked for less often than new commits. */
    private static final long LIST_MS = 10_000;

    private final BlobStore store;
    private final Address address;
    private final Shard shard;
    private final LongSupplier clockMs;
    private final ArchiveEvents events;
    private final Set<String> known = new HashSet<>();
    private long listedMs = Long.MIN_VALUE;

    /**
     * Knows no host yet.
     *
     * @param clockMs a clock that never goes back
     * @param events is made to watch for new hosts, and for commits of those that are known
     */
    public HostArrivals(BlobStore store, Address address, Shard shard, LongSupplier clockMs, ArchiveEvents events) {
        this.store = store;
        this.address = address;
        this.shard = shard;
        this.clockMs = clockMs;
        this.events = events;
    }

    /** Takes a host as known: {@link #next} does not give it. */
    public void add(HostRegistry.Owner host) throws IOException {
        if (known.add(host.id())) {
            events.watch(ArchiveLayout.log(host.id())); // before it is loaded, so that no commit is missed
        }
    }

    /** Returns the hosts that came since the last call; nothing while it is too early to look again. */
    public List<HostRegistry.Owner> next() throws IOException {
        long now = clockMs.getAsLong();
        boolean isFree = store.traits().isLocal();
        if (!isFree && listedMs != Long.MIN_VALUE && now - listedMs < LIST_MS) {
            return List.of();
        }
        listedMs = now;
        events.watch(ArchiveLayout.NAMES);
        List<HostRegistry.Owner> came = new ArrayList<>();
        for (HostRegistry.Owner host : Address.hosts(store, address)) {
            if (shard.holds(host.id()) && !known.contains(host.id())) {
                add(host);
                came.add(host);
            }
        }
        return came;
    }
}
