package io.chagres.forward;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.follow.ArchiveEvents;
import io.chagres.archive.follow.HostArrivals;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the files an address means, of the hosts there are and of those that come. {@link #wakeup} is safe for any
 * thread, the rest is confined to one.
 */
public final class Forwarder implements AutoCloseable {
    /** So long a sink is left alone at least that did not answer; time enough for another forwarder to take over. */
    private static final long RETRY_MS = 1_000;

    private final BlobStore store;
    private final Address address;
    private final ForwardOptions options;
    private final Sink sink;
    private final HostFaults faults;
    private final LongSupplier clockMs;
    private final ForwardListener listener;
    private final ArchiveEvents events;
    private final HostArrivals arrivals;
    private final Map<String, HostForwarder> hosts = new TreeMap<>();
    private final Map<String, Long> retryAtMs = new HashMap<>();
    private volatile boolean hurried;
    private volatile long owedSinceMs = Long.MAX_VALUE;
    /** When the step began that is under way; {@link Long#MAX_VALUE} between steps. */
    private volatile long stepSinceMs = Long.MAX_VALUE;

    /**
     * Forwards nothing yet.
     *
     * @param store stays the caller's
     * @param sink stays the caller's
     * @param faults hears of a host that cannot be read; that host is no longer forwarded
     * @param clockMs a clock that never goes back
     */
    public Forwarder(
            BlobStore store,
            Address address,
            ForwardOptions options,
            Sink sink,
            HostFaults faults,
            LongSupplier clockMs,
            ForwardListener listener)
            throws IOException {
        this.store = store;
        this.address = address;
        this.options = options;
        this.sink = sink;
        this.faults = faults;
        this.clockMs = clockMs;
        this.listener = listener;
        events = new ArchiveEvents(store);
        arrivals = new HostArrivals(store, address, options.shard(), clockMs, events);
    }

    /**
     * Forwards at most one transaction of each host.
     *
     * @return whether there may be more to forward now; a host that waits to be tried again holds up no other
     * @throws SinkFencedException when another forwarder took over a host
     */
    public boolean step() throws IOException {
        stepSinceMs = clockMs.getAsLong();
        for (HostRegistry.Owner host : arrivals.next()) {
            hosts.put(host.id(), new HostForwarder(store, host, address, options, sink, clockMs, listener));
        }
        boolean more = false;
        for (HostForwarder host : List.copyOf(hosts.values())) {
            host.hurry(hurried);
            more |= step(host);
        }
        owedSinceMs = hosts.values().stream()
                .mapToLong(HostForwarder::owedSinceMs)
                .min()
                .orElse(Long.MAX_VALUE);
        stepSinceMs = Long.MAX_VALUE;
        return more;
    }

    private boolean step(HostForwarder host) throws IOException {
        String id = host.owner().id();
        long retry = retryAtMs.getOrDefault(id, Long.MIN_VALUE);
        if (clockMs.getAsLong() < retry) {
            return false;
        }
        boolean[] more = new boolean[1];
        try {
            if (!faults.attempt(host.owner(), () -> more[0] = host.step())) {
                hosts.remove(id);
                host.close();
            }
            retryAtMs.remove(id);
            return more[0];
        } catch (SinkException e) {
            listener.retried(host.owner(), e);
            retryAtMs.put(id, clockMs.getAsLong() + Math.max(RETRY_MS, e.retryAfterMs()));
            return false;
        }
    }

    /** Says how far all hosts were forwarded, and of one the commit; null before all are open. Confined like steps. */
    public @Nullable Progress progress(String hostId) {
        long left = 0;
        long seq = -1;
        for (HostForwarder host : hosts.values()) {
            Progress each = host.progress();
            if (each == null) {
                return null;
            }
            left += each.leftBytes();
            seq = host.owner().id().equals(hostId) ? each.seq() : seq;
        }
        return seq < 0 ? null : new Progress(seq, left);
    }

    /**
     * Returns the age of the oldest line that is not forwarded, since this forwarder could know of it, in milliseconds;
     * 0 for none. It grows also while a call does not return. Safe for any thread.
     */
    public long owedMs() {
        return Math.max(0, clockMs.getAsLong() - Math.min(owedSinceMs, stepSinceMs));
    }

    /** Returns how far a version of a host was forwarded: no byte before that position is read again. */
    public long forwarded(String hostId, long versionId) {
        HostForwarder host = hosts.get(hostId);
        return host == null ? 0 : host.forwarded(versionId);
    }

    /** Publishes half lines as parts from now on, or lets them wait again. Safe for any thread. */
    public void hurry(boolean now) {
        hurried = now;
        events.wakeup();
    }

    /** Reads anew what is known of the hosts: a compaction has moved it. */
    public void reload() throws IOException {
        for (HostForwarder host : hosts.values()) {
            host.reload();
        }
    }

    /** Says whether a host waits to be tried again. */
    public boolean isRetrying() {
        return !retryAtMs.isEmpty();
    }

    /** Waits until there may be something new, at most a second, or for {@link #wakeup}. */
    public void await() {
        events.await();
    }

    /** Ends a wait, or the next one. */
    public void wakeup() {
        events.wakeup();
    }

    @Override
    public void close() {
        hosts.values().forEach(HostForwarder::close);
        events.close();
    }
}
