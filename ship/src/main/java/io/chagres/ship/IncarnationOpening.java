package io.chagres.ship;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistration;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.DigestingStore;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.sign.TrustList;
import io.chagres.archive.state.CommitCheck;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.Predecessor;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.MonotonicClock;
import io.chagres.ship.commit.RecentCommits;
import io.chagres.ship.file.LoadedRows;
import io.chagres.ship.file.RelayedRows;
import io.chagres.ship.file.ResumePoints;
import io.chagres.ship.follow.EarlierProof;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The way from options to an open incarnation: finds the host, loads its log and commits behind it. Confined to one
 * thread.
 */
final class IncarnationOpening {
    private static final int MAX_OPENINGS = 10;
    private static final int MAX_TOLD = 20;
    private static final long LONGEST_DRAIN_MS = 600_000;
    private static final String INCARNATION = "incarnation";
    private static final String TRUST = "trust";
    /** The keys of a commit or of data objects that are not as they were acknowledged; a reader may see nothing. */
    static final String ALTERED = "altered";

    final ShipOptions options;
    final ShipHost host;
    private final Executor workers;
    private final ShipOptions.Identity identity;

    @Nullable
    StateDirectory state;

    String hostId = "";
    HostState loaded = HostState.empty();
    LoadedRows rows = new LoadedRows(versions -> {});
    RecentCommits recent = new RecentCommits();

    @SuppressWarnings("NullAway.Init")
    CommitCheck check;

    @SuppressWarnings("NullAway.Init")
    CommitLog log;

    @SuppressWarnings("NullAway.Init")
    Sideline sideline;

    EarlierProof earlier = EarlierProof.NONE;

    private long openedMs;

    long tookMs;

    /** Whether the host continues one that is damaged and began now. */
    private boolean continues;

    /** The facts about the bytes that the damaged one holds, until the versions have them. */
    private @Nullable ResumePoints earlierBytes;

    private String damagedId = "";

    /** Signs commits; null for nobody. */
    @Nullable
    SigningKey key;

    /** Encrypts, if that is asked for, and opens the objects that this shipper may read. */
    BlobStore store;

    IncarnationOpening(ShipOptions options, BlobStore store, ShipHost host, Executor workers) {
        this.workers = workers;
        this.store = store;
        this.options = options;
        this.host = host;
        identity = options.identity();
    }

    void open(Clock clock, ShipListener listener) throws IOException {
        host.sayIfFew(listener);
        try {
            state = StateDirectory.open(identity.stateDirectory(), store.name(), identity.hostName());
        } catch (ErrnoException e) {
            listener.problem("the state directory " + identity.stateDirectory() + " cannot be used (" + e.getMessage()
                    + "); nothing is lost without it, but a second shipper is not refused");
        }
        key = options.storage().sign() ? OwnSignature.of(state) : null;
        store = ProtectedStore.of(
                key == null ? store : new DigestingStore(store),
                OwnKeys.of(state, options.storage().recipients()));
        openedMs = clock.millis();
        sideline = Sideline.of(state, host.machine());
        hostId = findHost(clock, listener);
        for (int opening = 1; ; opening++) {
            try {
                remember(INCARNATION, HexFormat.of().formatHex(openIncarnation(clock, listener)), listener);
                sideline.begins(store, hostId);
                sayIfSetBack(listener);
                sayKey(listener);
                return;
            } catch (EncryptedException e) {
                if (identity.hostId() != null) {
                    throw new StoreException(
                            "the key that reads the log of this host is not in the state directory" + " ("
                                    + e.getMessage() + "). Nothing was shipped; give another --host-id",
                            e,
                            true);
                }
                hostId = HostRegistry.mintAnother(store, identity.hostName(), host.machine(), clock.millis());
                remember(StateDirectory.HOST_ID, hostId, listener);
                listener.problem("the key that reads the log of this host is not in the state directory; nothing"
                        + " is lost, continuing as another host of this name, " + hostId + ", with all files from"
                        + " their start");
            } catch (FencedException e) {
                if (opening == MAX_OPENINGS) {
                    throw e;
                }
            } catch (CorruptArchiveException e) { // something has the name of the next commit
                if (opening == MAX_OPENINGS) {
                    throw e;
                }
                goOnBeside(e, clock, listener);
            }
        }
    }

    /** Returns the registration by which the host is found. */
    HostRegistration registration(Clock clock) throws IOException {
        HostRegistration recorded = HostRegistration.recorded(store, hostId);
        return recorded != null
                ? recorded
                : HostRegistration.of(hostId, identity.hostName(), host.machine(), clock.millis());
    }

    private void sayIfSetBack(ShipListener listener) throws IOException {
        long acknowledged = state == null ? 0 : state.acknowledged(hostId);
        HostRegistration known = loaded.seq() == 0 ? HostRegistration.recorded(store, hostId) : null;
        if (acknowledged == 0 && known != null && known.createdMs() < openedMs && !continues) {
            listener.problem("host " + hostId + " is in " + store.name() + " since "
                    + Instant.ofEpochMilli(known.createdMs())
                    + ", and no commit of it: no ship came so far, or its log was removed. All files are shipped"
                    + " from their start; what only that log held is lost");
        }
        if (acknowledged > loaded.seq()) {
            listener.problem("the log of this host ends at commit " + loaded.seq() + " in " + store.name()
                    + ", and "
                    + acknowledged + " were acknowledged: the archive was set back, or commits were removed. What"
                    + " files still hold is shipped again; what only these commits held is lost");
        }
    }

    /** A key that nobody heard of proves nothing, so the listener hears it once; and that there is none any longer. */
    private void sayKey(ShipListener listener) throws IOException {
        String said = state == null ? "" : state.get(TRUST).orElse("");
        if (key == null && !said.isEmpty()) {
            listener.problem("commits are no longer signed, since --sign is missing: 'chagres verify --trust' shows"
                    + " them as unproven, and readers with --trust refuse this host");
        }
        if (key != null && state != null) {
            String line = TrustList.line(hostId, key.publicKey());
            if (!line.equals(said)) {
                listener.problem("commits are signed by a new key from here on. Files for 'chagres verify --trust'"
                        + " need this line: " + line);
                remember(TRUST, line, listener);
            }
        }
    }

    private String findHost(Clock clock, ShipListener listener) throws IOException {
        String remembered =
                state == null ? null : state.get(StateDirectory.HOST_ID).orElse(null);
        String id = identity.hostId();
        if (id == null) {
            id = HostRegistry.findOrMint(store, identity.hostName(), host.machine(), remembered, clock.millis());
        } else {
            HostRegistry.claim(store, id, identity.hostName(), host.machine(), clock.millis());
        }
        if (!id.equals(remembered)) {
            remember(StateDirectory.HOST_ID, id, listener);
        }
        return id;
    }

    private void remember(String key, String value, ShipListener listener) throws IOException {
        try {
            if (state != null) {
                state.remember(key, value);
            }
        } catch (ErrnoException e) {
            listener.problem("the state directory " + identity.stateDirectory() + " cannot be written ("
                    + e.getMessage() + "); the host is found again by its name and its machine");
        }
    }

    /** Loads the log, commits a new incarnation behind it and returns it; another writer may come first. */
    private byte[] openIncarnation(Clock clock, ShipListener listener) throws IOException {
        loaded = load(clock, listener);
        check = rows.check();
        rows.end();
        if (earlierBytes != null) {
            rows.points().takeOver(earlierBytes);
            earlierBytes = null;
        }
        LogRecord.IncarnationOpened last = loaded.lastIncarnation();
        refuseBeside(hostId, loaded);
        boolean closed = loaded.closedCleanly();
        earlier = new EarlierProof(
                continues
                        || (last != null && !last.bootId().equals(host.machine().bootId()) && !closed),
                closed ? loaded.logEnd().timeMs() - LONGEST_DRAIN_MS : Long.MIN_VALUE,
                state == null ? null : state.unproven(hostId, loaded.seq()));
        byte[] incarnation = new byte[16];
        new SecureRandom().nextBytes(incarnation);
        log = new CommitLog(store, hostId, incarnation, loaded.logEnd(), clock::millis, key);
        recent.objects(state == null ? 0 : state.lookedFor(hostId), log::mustHold);
        try (CommitBuilder first = new CommitBuilder(1 << 16, 1)) {
            first.records()
                    .write(new LogRecord.IncarnationOpened(
                            incarnation,
                            identity.hostName(),
                            host.machine().machineId(),
                            host.machine().productUuid(),
                            host.machine().bootId(),
                            ProcessHandle.current().pid(),
                            BuildVersion.text(),
                            clock.millis()));
            LogRecord.Recipients recipients = OwnKeys.record(ProtectedStore.keyRing(store));
            if (!recipients.equals(loaded.recipients())) {
                first.records().write(recipients);
            }
            long beganMs = MonotonicClock.nowMs();
            log.append(first);
            tookMs = MonotonicClock.nowMs() - beganMs;
            recent.applied(log.appended(first));
        }
        return incarnation;
    }

    /** Loads the log; where it is damaged, the log of the host that continues this one. */
    private HostState load(Clock clock, ShipListener listener) throws IOException {
        for (int damaged = 0; ; ) {
            rows = new LoadedRows(listener::progressed);
            recent = new RecentCommits();
            try {
                HostState found = HostLog.load(readable(), hostId, new RelayedRows(rows, workers), recent);
                requireLog();
                requireObjects();
                String before = HostRegistry.continues(store, hostId);
                if (before.isEmpty() || damagedId.equals(before)) {
                    return found;
                }
                keepListed(before);
                if (found.lastIncarnation() != null) {
                    requirePredecessor(found);
                    return found;
                }
                goOn(before, found, clock, listener);
            } catch (CorruptArchiveException e) {
                if (++damaged == MAX_OPENINGS) {
                    throw e;
                }
                goOnBeside(e, clock, listener);
            }
        }
    }

    /** Returns what this shipper, or the one before it, found altered. */
    private Set<String> altered() throws IOException {
        Set<String> keys = new HashSet<>(options.storage().altered());
        String remembered = state == null ? "" : state.get(ALTERED).orElse("");
        if (!remembered.isEmpty()) {
            keys.addAll(List.of(remembered.split(" ")));
        }
        return keys;
    }

    /** Returns the store as it is without a commit that was found altered. */
    private BlobStore readable() throws IOException {
        return ProtectedStore.without(store, altered());
    }

    /** Refuses a log that refers to a data object that was found lost: no reader of the log sees that. */
    private void requireObjects() throws IOException {
        List<String> lost = altered().stream()
                .filter(key -> key.startsWith(ArchiveLayout.streams(hostId)))
                .sorted()
                .toList();
        if (!lost.isEmpty()) {
            throw CorruptArchiveException.lost(lost);
        }
    }

    /** Writes behind no log whose end is missing: tables of the old end would describe what is written now. */
    private void requireLog() throws IOException {
        CorruptArchiveException gap = LogWitness.missing(store, hostId);
        if (gap != null) {
            throw gap;
        }
    }

    /** Takes the host that continues this one. */
    private void goOnBeside(CorruptArchiveException damage, Clock clock, ShipListener listener) throws IOException {
        String next = HostRegistry.continued(store, hostId, identity.hostName(), host.machine(), clock.millis());
        listener.problem("host " + hostId + " continues as host " + next + " of the same name, since its log is"
                + " damaged: " + damage.getMessage() + ". 'chagres cat' and 'restore --salvage' give what it"
                + " holds, 'chagres repair' makes that readable again");
        hostId = next;
    }

    private void keepListed(String before) throws IOException {
        HostRegistration recorded = HostRegistration.recorded(store, before);
        if (recorded != null) {
            recorded.keep(store);
        }
    }

    private void requirePredecessor(HostState found) throws IOException {
        CorruptArchiveException lost = Predecessor.lost(store, hostId, found);
        if (lost != null) {
            throw lost;
        }
    }

    /** Begins a host that continues a damaged one, or anew where that one's own beginnings are gone. */
    private void goOn(String damaged, HostState found, Clock clock, ShipListener listener) throws IOException {
        Continuation next =
                new Continuation(readable(), hostId, found.logEnd(), rows, clock, key, listener::progressed);
        next.points().without(new HeldObjects(store, damaged, altered())::lack);
        int[] told = new int[1];
        HostState left = next.read(damaged, (object, cause, consequence) -> {
            if (told[0]++ < MAX_TOLD) {
                listener.problem(object + ": " + cause + "; " + consequence);
            }
        });
        refuseBeside(damaged, left);
        if (Predecessor.lost(store, damaged, left) == null) {
            next.write();
            continues = true;
            earlierBytes = next.points();
        }
        damagedId = damaged;
        remember(StateDirectory.HOST_ID, hostId, listener);
    }

    private void refuseBeside(String id, HostState state) throws IOException {
        if (!identity.takeOver()) {
            String ours =
                    this.state == null ? null : this.state.get(INCARNATION).orElse(null);
            sideline.unlessRefused(
                    store,
                    id,
                    options,
                    openedMs,
                    () -> Incumbent.refuseBeside(store, id, state, host.machine(), identity.hostName(), ours));
        }
    }

    void abandon() {
        if (state != null) {
            state.close();
        }
    }
}
