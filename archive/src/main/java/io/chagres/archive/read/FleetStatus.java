package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Tells which hosts of an archive live, from the newest heartbeat of each, and whether the log is there that it names:
 * three requests for a host, one or two more for one that was compacted, many at once. Confined to one thread but for
 * the requests.
 */
public final class FleetStatus {
    /** A host that was silent for longer is gone, in milliseconds: whoever watches heard of it when it was late. */
    public static final long GONE_MS = Duration.ofDays(1).toMillis();

    private static final int AT_ONCE = 256;

    /** What is known of a host's shipper. */
    public enum State {
        /** It was heard lately, and what is at risk is young. */
        LIVE,
        /** It should have been heard and was not, or bytes have been at risk for too long. */
        LATE,
        /** It has not been heard for a day. */
        GONE,
        /** It said that it ends. */
        ENDED,
        /** The archive does not hold what it committed, or no longer does, whatever it says. */
        DAMAGED
    }

    /**
     * The status of one host. Immutable.
     *
     * @param heardMs when the store took the last word, milliseconds since 1970 by its clock; 0 for never
     * @param word the newest heartbeat; null when there is none, and then the last word is a commit, or no reading it
     * @param fault why it cannot be read; null when it can
     */
    public record HostStatus(
            HostRegistry.Owner host,
            State state,
            long heardMs,
            @Nullable Heartbeat word,
            @Nullable IOException fault) {}

    /** Takes the status of each host, in the order of the hosts. */
    @FunctionalInterface
    public interface Listener {
        /** Takes one. */
        void status(HostStatus status) throws IOException;
    }

    private final BlobStore store;
    private final ExecutorService threads;
    private final long lateMs;
    private final long nowMs;

    /**
     * Prepares.
     *
     * @param threads make the requests; stay the caller's
     * @param lateMs how long a host may be silent, and a byte at risk, in milliseconds
     * @param nowMs the clock here, milliseconds since 1970; should it be behind the store's, nothing is late early
     */
    public FleetStatus(BlobStore store, ExecutorService threads, long lateMs, long nowMs) {
        this.store = store;
        this.threads = threads;
        this.lateMs = lateMs;
        this.nowMs = nowMs;
    }

    /**
     * Looks at hosts.
     *
     * @throws IOException when the store does not answer, or the listener fails
     */
    public void of(List<HostRegistry.Owner> hosts, Listener listener) throws IOException {
        Deque<Future<HostStatus>> asked = new ArrayDeque<>();
        Iterator<HostRegistry.Owner> next = hosts.iterator();
        while (next.hasNext() || !asked.isEmpty()) {
            while (next.hasNext() && asked.size() < AT_ONCE) {
                HostRegistry.Owner host = next.next();
                asked.add(threads.submit(() -> of(host)));
            }
            listener.status(await(asked.remove()));
        }
    }

    private static HostStatus await(Future<HostStatus> status) throws IOException {
        try {
            return status.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private HostStatus of(HostRegistry.Owner host) throws IOException {
        long heardMs = 0;
        try {
            BlobInfo newest = Heartbeat.newest(store, host.id());
            if (newest == null) {
                heardMs = lastCommitMs(host.id());
                CorruptArchiveException gap = LogWitness.unbegun(store, host.id());
                return gap != null
                        ? new HostStatus(host, State.DAMAGED, heardMs, null, gap)
                        : new HostStatus(host, silent(nowMs - heardMs, lateMs), heardMs, null, null);
            }
            heardMs = newest.modifiedMs();
            CorruptArchiveException gap = LogWitness.missing(store, host.id(), newest.key());
            if (gap != null) {
                return new HostStatus(host, State.DAMAGED, heardMs, null, gap);
            }
            Heartbeat word = Heartbeat.get(store, newest.key());
            return new HostStatus(host, state(word, nowMs - heardMs, lateMs), heardMs, word, null);
        } catch (CorruptArchiveException | NoSuchBlobException e) {
            return new HostStatus(host, silent(nowMs - heardMs, lateMs), heardMs, null, e);
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            return new HostStatus(host, silent(nowMs - heardMs, lateMs), heardMs, null, e);
        }
    }

    /**
     * Returns what a word says of the one that spoke.
     *
     * @param silentMs how long ago it was heard, in milliseconds
     * @param lateMs how long it may be silent, and a byte at risk, in milliseconds
     */
    public static State state(Heartbeat word, long silentMs, long lateMs) {
        if (word.state() != Heartbeat.State.RUNNING) {
            return State.ENDED;
        }
        State silent = silent(silentMs, lateMs);
        return silent == State.LIVE && word.riskMs() > lateMs ? State.LATE : silent;
    }

    private static State silent(long silentMs, long lateMs) {
        return silentMs <= lateMs ? State.LIVE : silentMs <= Math.max(lateMs, GONE_MS) ? State.LATE : State.GONE;
    }

    /** Its shipper sends no heartbeats: what it committed tells that it lived then. */
    private long lastCommitMs(String hostId) throws IOException {
        long lastMs = 0;
        for (BlobInfo commit : store.list(ArchiveLayout.log(hostId), null)) {
            lastMs = commit.modifiedMs();
        }
        return lastMs;
    }
}
