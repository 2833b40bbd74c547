package io.chagres.ship;

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
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.Predecessor;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.StoreException;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.commit.RecentCommits;
import io.chagres.ship.commit.StoreHealth;
import io.chagres.ship.copy.OwnLog;
import io.chagres.ship.file.DentryEvents;
import io.chagres.ship.file.FileTable;
import io.chagres.ship.file.KnownNames;
import io.chagres.ship.file.Losses;
import io.chagres.ship.file.MissingFiles;
import io.chagres.ship.file.OldFiles;
import io.chagres.ship.file.OpenFiles;
import io.chagres.ship.file.OutwardLinks;
import io.chagres.ship.file.ResumePoints;
import io.chagres.ship.file.Tail;
import io.chagres.ship.file.Versions;
import io.chagres.ship.follow.CheckpointStep;
import io.chagres.ship.follow.Copies;
import io.chagres.ship.follow.DerivedFiles;
import io.chagres.ship.follow.FollowedFiles;
import io.chagres.ship.follow.LogPresence;
import io.chagres.ship.follow.ObjectUploads;
import io.chagres.ship.follow.Offload;
import io.chagres.ship.follow.Patrol;
import io.chagres.ship.follow.Tailer;
import io.chagres.ship.follow.Verifier;
import io.chagres.watch.Dentry;
import io.chagres.watch.DirectoryWatcher;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds the parts of a shipper in the order they need each other, and owns them. */
final class ShipParts implements AutoCloseable {
    private static final int MAX_OPENINGS = 10;
    private static final int MAX_TOLD = 20;
    private static final String INCARNATION = "incarnation";
    private static final String TRUST = "trust";

    /** The time by which lags and ages are counted. */
    final SteadyClock clock;

    final FileTable table = new FileTable();
    final KnownNames known = new KnownNames();
    final @Nullable StateDirectory state;
    final StoreHealth health;
    final CommitPipeline pipeline;
    final ObjectUploads uploads;
    final Losses losses;
    final OpenFiles openFiles;
    final Versions versions;
    final FollowedFiles files;
    final OutwardLinks links;
    final DentryEvents names;
    final Tailer turns;
    final DerivedFiles derived;
    final Offload offload;
    final CheckpointStep checkpoints;
    final MissingFiles missing;
    final Copies copies;
    final Verifier verifier;
    final Patrol patrol;
    final DirectoryWatcher watcher;
    final Pulse pulse;
    final LogPresence presence;
    final Sideline sideline;
    final Demand demand;
    final String hostId;
    /** How long the commit took that opened the incarnation, in milliseconds. */
    final long openedInMs;
    /** How far the state directory knows that the log was acknowledged. */
    private long rememberedSeq;
    /** The bytes of a spool that are still to be delivered. */
    Undelivered undelivered = Undelivered.nothing();

    private final ShipScope scope;
    final OldFiles old;
    final int positions;

    private ShipParts(Opening opening, Executor workers, Clock clock, ShipListener listener) throws IOException {
        ShipOptions options = opening.options;
        BlobStore store = opening.store;
        state = opening.state;
        this.clock = new SteadyClock(clock);
        Consumer<String> problems = listener::problem;
        health = new StoreHealth(store.name(), problems);
        scope = scope(options, store, listener);
        watcher = scope.watch(options, clock);
        Runnable wakeup = watcher::wakeup;
        pipeline = new CommitPipeline(
                opening.log,
                new CommitCheck(opening.loaded),
                workers,
                wakeup,
                health,
                options.maxLagMs(),
                () -> new CommitBuilder(options.commitBytes(), options.level()));
        offload = new Offload(workers, wakeup);
        uploads = new ObjectUploads(store, opening.hostId, options.level(), options.memoryBytes(), offload, health);
        // the opening holds the whole state that was loaded, so nothing that stays may hold it
        hostId = opening.hostId;
        openedInMs = opening.tookMs;
        RecentCommits recent = opening.recent;
        Supplier<OwnLog> ownLog = () -> new OwnLog(store, hostId, recent.copy());
        losses = new Losses(problems);
        openFiles = new OpenFiles(opening.host.openFiles(), opening.host.mostOpenFiles(), losses, problems);
        checkpoints = new CheckpointStep(
                opening.recent, pipeline, new Offload(workers, wakeup), store, opening.hostId, problems);
        versions = new Versions(pipeline, table, openFiles, opening.loaded.nextVersionId(), scope::rules);
        versions.takeOver(opening.points, clock.millis() - CommitPipeline.OBJECTS_WAIT_MS);
        derived = new DerivedFiles(ownLog, pipeline, offload);
        files = new FollowedFiles(table, openFiles, versions, opening.points, known, pipeline, derived);
        files.wholePrefix = opening.uncleanBoot;
        files.closedCleanly = opening.loaded.closedCleanly();
        files.old = old = new OldFiles(clock::millis, scope::rules, problems);
        files.startAtEnd = options.startAt() == StartAt.END;
        links = new OutwardLinks(options.followLinks(), table, scope::leadsOut, scope::isRoot, problems);
        names = new DentryEvents(files, pipeline, known, openFiles, links, this.clock, problems);
        missing = new MissingFiles(opening.points, openFiles, files, problems);
        copies =
                new Copies(options.copies() && !store.keyRing().encrypts(), ownLog, pipeline, files, offload, problems);
        verifier = new Verifier(offload, files, problems, opening.host.fileClock());
        turns = new Tailer(pipeline, uploads, versions, names, openFiles, copies, verifier);
        patrol = new Patrol(table, files, verifier);
        positions = opening.points.count();
        long opened = opening.log.seq();
        LongSupplier known = () -> Math.max(opened, pipeline.acknowledgedSeq());
        pulse = new Pulse(store, known, opening.registration(clock), workers, clock::millis, state, problems);
        pulse.reload(options);
        sideline = opening.sideline;
        presence = new LogPresence(opening.log, new Offload(workers, wakeup), health);
        demand = new Demand(this);
        collectKnown(opening.loaded);
    }

    static ShipParts open(
            ShipOptions options, BlobStore store, Executor workers, Clock clock, ShipListener listener, ShipHost host)
            throws IOException {
        Opening opening = new Opening(options, store, host);
        try {
            opening.open(clock, listener);
            return new ShipParts(opening, workers, clock, listener);
        } catch (IOException | RuntimeException e) {
            opening.abandon();
            throw e;
        }
    }

    /** The way from options to an open incarnation. */
    static final class Opening {
        final ShipOptions options;
        final ShipHost host;

        @Nullable
        StateDirectory state;

        String hostId = "";
        HostState loaded = HostState.empty();
        ResumePoints points = new ResumePoints();
        RecentCommits recent = new RecentCommits(points);

        @SuppressWarnings("NullAway.Init")
        CommitLog log;

        @SuppressWarnings("NullAway.Init")
        Sideline sideline;

        boolean uncleanBoot;

        private long openedMs;

        long tookMs;

        /** How the host began, if it continues one that is damaged and began now. */
        @Nullable
        Continuation continuation;

        private String damagedId = "";

        /** Signs commits; null for nobody. */
        @Nullable
        SigningKey key;

        /** Encrypts, if that is asked for, and opens what this shipper may read. */
        BlobStore store;

        Opening(ShipOptions options, BlobStore store, ShipHost host) {
            this.store = store;
            this.options = options;
            this.host = host;
        }

        void open(Clock clock, ShipListener listener) throws IOException {
            host.sayIfFew(listener);
            try {
                state = StateDirectory.open(options.stateDirectory(), store.name(), options.hostName());
            } catch (ErrnoException e) {
                listener.problem("the state directory " + options.stateDirectory() + " cannot be used ("
                        + e.getMessage() + "); nothing is lost without it, but a second shipper is not refused");
            }
            key = options.sign() ? OwnSignature.of(state) : null;
            store = ProtectedStore.of(
                    key == null ? store : new DigestingStore(store), OwnKeys.of(state, options.recipients()));
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
                    if (options.hostId() != null) {
                        throw new StoreException(
                                "the key that reads the log of this host is not in the state directory" + " ("
                                        + e.getMessage() + "). Nothing was shipped; give another --host-id",
                                e,
                                true);
                    }
                    hostId = HostRegistry.mintAnother(store, options.hostName(), host.machine(), clock.millis());
                    remember(StateDirectory.HOST_ID, hostId, listener);
                    listener.problem("the key that reads the log of this host is not in the state directory; nothing"
                            + " is lost, going on as another host of this name, " + hostId + ", with all files from"
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

        /** Returns what the host is found by. */
        HostRegistration registration(Clock clock) throws IOException {
            HostRegistration recorded = HostRegistration.recorded(store, hostId);
            return recorded != null
                    ? recorded
                    : HostRegistration.of(hostId, options.hostName(), host.machine(), clock.millis());
        }

        private void sayIfSetBack(ShipListener listener) throws IOException {
            long acknowledged = state == null ? 0 : state.acknowledged(hostId);
            HostRegistration known = loaded.seq() == 0 ? HostRegistration.recorded(store, hostId) : null;
            if (acknowledged == 0 && known != null && known.createdMs() < openedMs && continuation == null) {
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

        /** A key that nobody heard of proves nothing, so the listener hears it once. */
        private void sayKey(ShipListener listener) throws IOException {
            if (key != null && state != null) {
                String line = TrustList.line(hostId, key.publicKey());
                if (!line.equals(state.get(TRUST).orElse(""))) {
                    listener.problem("commits are signed by a new key from here on. Files for 'chagres verify --trust'"
                            + " need this line: " + line);
                    remember(TRUST, line, listener);
                }
            }
        }

        private String findHost(Clock clock, ShipListener listener) throws IOException {
            String remembered =
                    state == null ? null : state.get(StateDirectory.HOST_ID).orElse(null);
            String id = options.hostId();
            if (id == null) {
                id = HostRegistry.findOrMint(store, options.hostName(), host.machine(), remembered, clock.millis());
            } else {
                HostRegistry.claim(store, id, options.hostName(), host.machine(), clock.millis());
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
                listener.problem("the state directory " + options.stateDirectory() + " cannot be written ("
                        + e.getMessage() + "); the host is found again by its name and its machine");
            }
        }

        /** Loads the log, commits a new incarnation behind it and returns it; another writer may come first. */
        private byte[] openIncarnation(Clock clock, ShipListener listener) throws IOException {
            loaded = load(clock, listener);
            points.keep(loaded);
            if (continuation != null) {
                points.takeOver(continuation.points());
            }
            LogRecord.IncarnationOpened last = loaded.lastIncarnation();
            refuseBeside(hostId, loaded);
            uncleanBoot = continuation != null
                    || last != null && !last.bootId().equals(host.machine().bootId()) && !loaded.closedCleanly();
            byte[] incarnation = new byte[16];
            new SecureRandom().nextBytes(incarnation);
            log = new CommitLog(store, hostId, incarnation, loaded.logEnd(), clock::millis, key);
            try (CommitBuilder first = new CommitBuilder(1 << 16, 1)) {
                first.records()
                        .write(new LogRecord.IncarnationOpened(
                                incarnation,
                                options.hostName(),
                                host.machine().machineId(),
                                host.machine().productUuid(),
                                host.machine().bootId(),
                                ProcessHandle.current().pid(),
                                Version.text(),
                                clock.millis()));
                LogRecord.Recipients recipients = OwnKeys.record(store.keyRing());
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
                points = new ResumePoints();
                recent = new RecentCommits(points);
                try {
                    HostState found = HostLog.load(store, hostId, PointInTime.NOW, ExtentFilter.NONE, recent);
                    requireLog();
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

        /** Writes behind no log whose end is missing: tables of the old end would describe what is written now. */
        private void requireLog() throws IOException {
            CorruptArchiveException gap = LogWitness.missing(store, hostId);
            if (gap != null) {
                throw gap;
            }
        }

        /** Takes the host that continues this one. */
        private void goOnBeside(CorruptArchiveException damage, Clock clock, ShipListener listener) throws IOException {
            String next = HostRegistry.continued(store, hostId, options.hostName(), host.machine(), clock.millis());
            listener.problem("host " + hostId + " continues as host " + next + " of the same name, since its log is"
                    + " damaged: " + damage.getMessage() + ". 'chagres cat' and 'restore --salvage' give what it"
                    + " holds, 'chagres repair' makes it whole again");
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
            Continuation next = new Continuation(store, hostId, found, clock, key);
            int[] told = new int[1];
            HostState left = next.read(damaged, (object, cause, consequence) -> {
                if (told[0]++ < MAX_TOLD) {
                    listener.problem(object + ": " + cause + "; " + consequence);
                }
            });
            refuseBeside(damaged, left);
            if (Predecessor.lost(store, damaged, left) == null) {
                next.write();
                continuation = next;
            }
            damagedId = damaged;
            remember(StateDirectory.HOST_ID, hostId, listener);
        }

        private void refuseBeside(String id, HostState state) throws IOException {
            if (!options.takeOver()) {
                String ours =
                        this.state == null ? null : this.state.get(INCARNATION).orElse(null);
                sideline.unlessRefused(
                        store,
                        id,
                        options,
                        openedMs,
                        () -> Incumbent.refuseBeside(store, id, state, host.machine(), options.hostName(), ours));
            }
        }

        void abandon() {
            if (state != null) {
                state.close();
            }
        }
    }

    /** Remembers how far the log was acknowledged, for the next start. */
    void rememberAcknowledged() {
        long seq = pipeline.acknowledgedSeq();
        try {
            if (state != null && seq > rememberedSeq) {
                state.acknowledged(hostId, seq);
                rememberedSeq = seq;
            }
        } catch (ErrnoException e) {
            // the next start then cannot say that the archive was set back
        }
    }

    /** Follows other sources, by other rules, from now on; what belongs to both loses nothing. */
    void reload(ShipOptions options) throws IOException {
        scope.replace(options);
        for (Tail tail : table.all()) {
            Dentry name = tail.name();
            tail.rules(name == null ? tail.rules() : scope.rules(name.path()));
        }
        pipeline.lag(options.maxLagMs());
        pulse.reload(options);
        watcher.retarget(scope.roots());
    }

    /**
     * Says whether bytes may be at risk that nobody can count: a directory cannot be read, a file not even looked at,
     * or it is not known what was delivered. While a directory is not scanned yet is the caller's to know.
     */
    boolean isRiskUnknown() {
        return watcher.unreadable() > 0 || names.unreadable().hasUnknownSize() || undelivered.bytes() < 0;
    }

    /** Says whether names are still to be found, or to be looked at. */
    boolean isScanning() {
        return watcher.scanning() || !names.isSettled();
    }

    /** Says which patterns match nothing and that links lead out, once a scan is over. */
    void sayUnmatched() {
        scope.sayUnmatched();
        links.say();
        old.say();
    }

    /** Takes the names the archive had that are gone; what cannot be read now, and what is below it, may be there. */
    List<Pathname> takeGone() {
        return known.takeUnseen(hidden());
    }

    /** Looks for the files that had a name when a shipper ran last, and have none that is followed. */
    void seekMissing() {
        missing.seek(scope::covers, hidden());
    }

    private Predicate<Pathname> hidden() {
        Set<Pathname> unreadable = Stream.concat(
                        watcher.unreadablePaths(), names.unreadable().paths())
                .collect(Collectors.toSet());
        return name -> {
            Pathname at = name;
            while (at != null && !unreadable.contains(at)) {
                at = at.parent();
            }
            return at != null;
        };
    }

    /** Returns the bytes at risk that no tail knows of: those of files that cannot be opened, or went unread. */
    long outsideBytes() {
        return names.unreadable().bytes() + losses.bytes();
    }

    private static ShipScope scope(ShipOptions options, BlobStore store, ShipListener listener) throws IOException {
        List<Pathname> own = new ArrayList<>();
        own.add(options.stateDirectory());
        if (store.stored() instanceof DirectoryStore local) {
            own.add(local.root());
        }
        return new ShipScope(options, new OwnPaths(own), listener);
    }

    private void collectKnown(HostState loaded) {
        loaded.names().forEach(entry -> {
            Pathname path = entry.path();
            if (scope.covers(path)) {
                known.put(path, meaning(entry));
            }
        });
    }

    private static KnownNames.Meaning meaning(NameTree.Entry entry) {
        FileVersion version = entry.version();
        return new KnownNames.Meaning(
                version == null ? 0 : version.id(),
                version == null ? 0 : version.length(),
                entry.kind() == LogRecord.Kind.DIRECTORY ? entry.attributes() : null,
                entry.kind() == LogRecord.Kind.SYMLINK ? entry.target() : null);
    }

    @Override
    public void close() {
        watcher.close();
        for (Tail tail : table.all()) {
            openFiles.close(tail);
        }
        files.close();
        patrol.close();
        verifier.close();
        names.close();
        links.close();
        missing.close();
        turns.close();
        copies.close();
        openFiles.close();
        pipeline.close();
        if (state != null) {
            state.close();
        }
    }
}
