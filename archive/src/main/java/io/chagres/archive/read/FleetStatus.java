package io.chagres.archive.read;

import io.chagres.archive.Acknowledgement;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Says which hosts of an archive live, by the newest heartbeat of each, and whether the log that it names is there and
 * has a whole end. That takes three requests for a host, one or two more for one that was fenced or is silent, and some
 * six for one that was compacted and is silent, many at once. Confined to one thread but for the requests.
 */
public final class FleetStatus {
    /** A host that was silent for longer is gone, in milliseconds: anybody who watches heard of it when it was late. */
    public static final long GONE_MS = Duration.ofDays(1).toMillis();

    private static final int AT_ONCE = 256;

    /** The states of a host's shipper, the worst first. */
    public enum State {
        /** The archive does not hold what it committed, or no longer does, whatever it says. */
        DAMAGED,
        /** Another writer took the log of its host, and it stopped: its files are shipped by nobody. */
        FENCED,
        /** It lives, and the store takes nothing of it, since it is full or a quota is used up. */
        FULL,
        /** It lives, and bytes that it saw went before it could read them. */
        LOST,
        /** Its last heartbeat or its commits cannot be read. */
        UNKNOWN,
        /** It has not been heard for a day, and bytes were at risk or unverified then, or may have been. */
        GONE_AT_RISK,
        /** It said that it ends before everything was acknowledged. */
        ENDED_AT_RISK,
        /** It should have been heard and was not, or bytes have been at risk for too long. */
        LATE,
        /** It has not been heard for a day, and nothing was at risk or unverified then. */
        GONE,
        /** It said that it ends, and everything was acknowledged. */
        ENDED,
        /** It was heard lately, and what is at risk is young. */
        LIVE;

        /** Returns what it is called wherever a person or a program reads it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        /** Says whether somebody must look, unless it was acknowledged. */
        public boolean isAlarming() {
            return compareTo(LATE) <= 0;
        }

        /** Says whether it is over with this: what is heard later makes an acknowledgement void. */
        public boolean canBeAcknowledged() {
            return switch (this) {
                case FENCED, UNKNOWN, GONE_AT_RISK, ENDED_AT_RISK, LATE -> true;
                default -> false;
            };
        }
    }

    /**
     * The status of one host, or of a shipper of it that was fenced. Immutable.
     *
     * @param heardMs when the store took the last word, milliseconds since 1970 by its clock; 0 for never
     * @param word the newest heartbeat; null when there is none, and then the last word is a commit, or no reading it
     * @param said the key of the object that says so, by which it is acknowledged
     * @param acknowledgedMs when somebody said that this is known, milliseconds since 1970 by the store's clock; 0 when
     *     nobody did
     * @param fault what cannot be read, and why; null when nothing
     */
    public record HostStatus(
            HostRegistry.Owner host,
            State state,
            long heardMs,
            @Nullable Heartbeat word,
            String said,
            long acknowledgedMs,
            @Nullable String fault) {

        /** Says whether somebody must look. */
        public boolean isAlarming() {
            return acknowledgedMs == 0 && state.isAlarming();
        }

        private HostStatus acknowledged(long ms) {
            return new HostStatus(host, state, heardMs, word, said, ms, fault);
        }
    }

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
     * @param nowMs the clock of the store, or the one here where it says none, milliseconds since 1970
     */
    public FleetStatus(BlobStore store, ExecutorService threads, long lateMs, long nowMs) {
        this.store = store;
        this.threads = threads;
        this.lateMs = lateMs;
        this.nowMs = nowMs;
    }

    /**
     * Looks at hosts. Each shipper of a host that was fenced has a status of its own, too.
     *
     * @throws IOException when the store does not answer, or the listener fails
     */
    public void of(List<HostRegistry.Owner> hosts, Listener listener) throws IOException {
        Deque<Future<List<HostStatus>>> asked = new ArrayDeque<>();
        Iterator<HostRegistry.Owner> next = hosts.iterator();
        while (next.hasNext() || !asked.isEmpty()) {
            while (next.hasNext() && asked.size() < AT_ONCE) {
                HostRegistry.Owner host = next.next();
                asked.add(threads.submit(() -> of(host)));
            }
            for (HostStatus status : await(asked.remove())) {
                listener.status(status);
            }
        }
    }

    private static List<HostStatus> await(Future<List<HostStatus>> status) throws IOException {
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

    private List<HostStatus> of(HostRegistry.Owner host) throws IOException {
        List<HostStatus> all = new ArrayList<>();
        Reading reading = new Reading(host);
        try {
            reading.heartbeats();
            all.add(reading.status());
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            all.add(reading.unknown("its heartbeat cannot be read", e));
        }
        all.addAll(reading.fenced);
        for (int i = 0; i < all.size(); i++) {
            HostStatus status = all.get(i);
            if (status.state().canBeAcknowledged()) {
                all.set(i, status.acknowledged(acknowledgedMs(status.said())));
            }
        }
        return all;
    }

    private long acknowledgedMs(String said) throws IOException {
        try {
            BlobInfo by = Acknowledgement.of(store, said);
            return by == null ? 0 : Math.max(1, by.modifiedMs());
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            return 0; // to a reader that may not look there nothing counts as acknowledged
        }
    }

    /**
     * Returns what a word says of the one that spoke.
     *
     * @param silentMs how long ago it was heard, in milliseconds
     * @param lateMs how long it may be silent, and a byte at risk, in milliseconds
     */
    public static State state(Heartbeat word, long silentMs, long lateMs) {
        boolean owes = word.riskBytes() != 0 || word.lostBytes() != 0; // unknown is not 0
        return switch (word.state()) {
            case FENCED -> State.FENCED;
            case ENDED -> State.ENDED_AT_RISK;
            case DRAINED -> owes ? State.ENDED_AT_RISK : State.ENDED;
            case FULL, RUNNING -> {
                State silent = silent(owes || word.unverifiedBytes() != 0, silentMs, lateMs);
                yield silent == State.LIVE ? speaking(word, lateMs) : silent;
            }
        };
    }

    private static State speaking(Heartbeat word, long lateMs) {
        if (word.state() == Heartbeat.State.FULL) {
            return State.FULL;
        }
        if (word.lostBytes() > 0) {
            return State.LOST;
        }
        boolean mayBeOld = word.riskBytes() != 0 && word.riskMs() < 0;
        return mayBeOld || word.riskMs() > lateMs ? State.LATE : State.LIVE;
    }

    private static State silent(boolean owes, long silentMs, long lateMs) {
        if (silentMs < -lateMs) {
            return State.UNKNOWN;
        }
        if (silentMs <= Math.max(lateMs, GONE_MS)) {
            return silentMs <= lateMs ? State.LIVE : State.LATE;
        }
        return owes ? State.GONE_AT_RISK : State.GONE;
    }

    /** Says why nobody knows how long a ship is silent that seems to have been heard in time to come. */
    public static String ahead(long silentMs) {
        return "it was heard " + -silentMs / 1000 + " s ahead of the clock, which was set back or is another one;"
                + " nobody knows whether it is silent since";
    }

    /** Reads one host step by step; the finding of one step counts when another cannot be done. */
    private final class Reading {
        final HostRegistry.Owner host;
        final List<HostStatus> fenced = new ArrayList<>();
        private final LogTail tail;
        private @Nullable BlobInfo newest;
        private @Nullable Heartbeat word;
        private long heardMs;
        private String said;

        Reading(HostRegistry.Owner host) {
            this.host = host;
            tail = new LogTail(store, host.id());
            said = ArchiveLayout.owner(host.id());
        }

        void heartbeats() throws IOException {
            BlobInfo first = BlobList.first(store, ArchiveLayout.heartbeats(host.id()));
            newest = Heartbeat.newest(store, host.id(), first);
            if (first != null && Heartbeat.isOfFenced(first.key(), host.id())) {
                addFenced();
            }
            if (newest != null) {
                said = newest.key();
                heardMs = newest.modifiedMs();
            }
        }

        /** Those that ship again need nobody. */
        private void addFenced() throws IOException {
            List<BlobInfo> words = new ArrayList<>();
            Set<String> over = new HashSet<>();
            for (BlobInfo each : BlobList.all(store, ArchiveLayout.fenced(host.id()), null)) {
                String begun = ArchiveLayout.begunAgain(each.key());
                if (begun == null) {
                    words.add(each);
                } else {
                    over.add(begun);
                }
            }
            for (BlobInfo each : words) {
                if (!over.contains(each.key())) {
                    fenced.add(fenced(each));
                }
            }
        }

        private HostStatus fenced(BlobInfo last) throws IOException {
            try {
                Heartbeat words = Heartbeat.get(store, last.key());
                return new HostStatus(host, State.FENCED, last.modifiedMs(), words, last.key(), 0, null);
            } catch (CorruptArchiveException | NoSuchBlobException e) {
                return new HostStatus(
                        host,
                        State.FENCED,
                        last.modifiedMs(),
                        null,
                        last.key(),
                        0,
                        "its last word cannot be read: " + e.getMessage());
            }
        }

        HostStatus status() throws IOException {
            BlobInfo spoken = newest;
            String unread = spoken == null ? null : word(spoken.key());
            try {
                CorruptArchiveException damage = spoken == null ? ofCommits() : end(spoken);
                if (damage != null) {
                    return status(State.DAMAGED, damage.getMessage());
                }
            } catch (StoreException e) {
                HostRegistry.requireAnswer(store, e);
                return unknown("its log cannot be read", e);
            }
            if (unread != null) {
                return status(State.UNKNOWN, unread);
            }
            Heartbeat heard = word;
            long silentMs = nowMs - heardMs;
            State state = heard == null ? silent(true, silentMs, lateMs) : state(heard, silentMs, lateMs);
            return status(state, state == State.UNKNOWN ? ahead(silentMs) : null);
        }

        /** Reads the newest heartbeat; returns why it cannot be. */
        private @Nullable String word(String key) throws IOException {
            try {
                word = Heartbeat.get(store, key);
                return null;
            } catch (CorruptArchiveException | NoSuchBlobException e) {
                return "its heartbeat cannot be read: " + e.getMessage();
            } catch (StoreException e) {
                HostRegistry.requireAnswer(store, e);
                return "its heartbeat cannot be read: " + e.getMessage();
            }
        }

        /** Its shipper sends no heartbeats: its commits show that it lived then. */
        private @Nullable CorruptArchiveException ofCommits() throws IOException {
            BlobInfo last = tail.last();
            if (last != null) {
                heardMs = last.modifiedMs();
                said = last.key();
                return tail.damage(last.key());
            }
            return LogWitness.unbegun(store, host.id());
        }

        private @Nullable CorruptArchiveException end(BlobInfo spoken) throws IOException {
            Heartbeat heard = word;
            long known = Math.max(ArchiveLayout.namedCommit(spoken.key()), heard == null ? 0 : heard.seq());
            boolean speaks = heard != null && heard.state().continues() && nowMs - heardMs <= lateMs;
            return tail.damageFrom(known, spoken.key(), speaks);
        }

        private HostStatus status(State state, @Nullable String fault) {
            return new HostStatus(host, state, heardMs, word, said, 0, fault);
        }

        HostStatus unknown(String what, StoreException why) {
            return status(State.UNKNOWN, what + ": " + why.getMessage());
        }
    }
}
