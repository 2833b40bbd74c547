package io.chagres.ship;

import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.ErrnoException;
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
import io.chagres.ship.file.OutwardLinks;
import io.chagres.ship.file.ResumePoints;
import io.chagres.ship.file.Tail;
import io.chagres.ship.file.TailDescriptors;
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
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds the parts of a shipper in the order they need each other, and owns them. */
final class ShipParts implements AutoCloseable {
    private static final long TRIM_MS = 5_000;

    /** The time by which lags and ages are counted. */
    final SteadyClock clock;

    final FileTable table = new FileTable();
    final KnownNames known;
    final @Nullable StateDirectory state;
    final StoreHealth health;
    final CommitPipeline pipeline;
    final ObjectUploads uploads;
    final Losses losses;
    final TailDescriptors descriptors;
    final Versions versions;
    final FollowedFiles files;
    final OutwardLinks links;
    final DentryEvents dentries;
    final Tailer tailer;
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

    private long nextTrimMs;
    private boolean unmatchedDue = true;

    /** How far the state directory knows that the log was acknowledged. */
    private long rememberedSeq;

    private long rememberedLook;
    /** The bytes of a spool that are still to be delivered. */
    Undelivered undelivered = Undelivered.nothing();

    private final ShipScope scope;
    final OldFiles old;
    final int positions;

    private ShipParts(IncarnationOpening opening, Executor workers, Clock clock, ShipListener listener)
            throws IOException {
        ShipOptions options = opening.options;
        ResumePoints points = opening.rows.points();
        known = opening.rows.names();
        ShipOptions.Storage storage = options.storage();
        BlobStore store = opening.store;
        state = opening.state;
        this.clock = new SteadyClock(clock);
        Consumer<String> problems = listener::problem;
        health = new StoreHealth(store.name(), problems);
        scope = ShipScope.of(options, store, listener);
        watcher = scope.watch(options, clock);
        Runnable wakeup = watcher::wakeup;
        pipeline = new CommitPipeline(
                opening.log,
                opening.check,
                workers,
                wakeup,
                health,
                options.pace().maxLagMs(),
                () -> new CommitBuilder(storage.commitBytes(), storage.level()));
        offload = new Offload(workers, wakeup);
        uploads = new ObjectUploads(store, opening.hostId, storage.level(), storage.memoryBytes(), offload, health);
        hostId = opening.hostId;
        openedInMs = opening.tookMs;
        RecentCommits recent = opening.recent;
        Supplier<OwnLog> ownLog = () -> new OwnLog(store, hostId, recent.copy());
        losses = new Losses(problems);
        descriptors = new TailDescriptors(opening.host.openFiles(), opening.host.mostOpenFiles(), losses, problems);
        checkpoints = new CheckpointStep(
                opening.recent, pipeline, new Offload(workers, wakeup), store, opening.hostId, problems);
        versions = new Versions(pipeline, table, descriptors, opening.loaded.nextVersionId(), scope::rules);
        versions.takeOver(points, clock.millis() - CommitPipeline.OBJECTS_WAIT_MS);
        derived = new DerivedFiles(ownLog, pipeline, offload);
        files = new FollowedFiles(table, descriptors, versions, points, known, pipeline, derived);
        files.earlier = opening.earlier;
        files.old = old = new OldFiles(clock::millis, scope::rules, problems);
        files.startAtEnd = options.startAt() == StartAt.END;
        links = new OutwardLinks(options.followLinks(), table, scope::leadsOut, scope::isRoot, problems);
        dentries = new DentryEvents(files, pipeline, known, descriptors, links, this.clock, problems);
        missing = new MissingFiles(points, descriptors, files, problems);
        boolean seeks = storage.copies() && !ProtectedStore.keyRing(store).encrypts();
        copies = new Copies(seeks, table, ownLog, pipeline, files, offload, problems);
        verifier = new Verifier(offload, files, problems, opening.host.fileClock());
        tailer = new Tailer(pipeline, uploads, versions, dentries, descriptors, copies, verifier);
        files.firstLook = (tail, looked) -> tailer.take(tail, looked, this.clock.getAsLong());
        verifier.opens = tail -> tailer.look(tail, this.clock.getAsLong()) == null;
        descriptors.lastLook = tail -> tailer.isDone(tail, this.clock.getAsLong());
        patrol = new Patrol(table, files, verifier);
        positions = points.count();
        pulse = new Pulse(
                store, pipeline::acknowledgedSeq, opening.registration(clock), workers, clock::millis, state, problems);
        pulse.reload(options);
        sideline = opening.sideline;
        presence = new LogPresence(opening.log, new Offload(workers, wakeup), health);
        demand = new Demand(this);
    }

    static ShipParts open(
            ShipOptions options, BlobStore store, Executor workers, Clock clock, ShipListener listener, ShipHost host)
            throws IOException {
        IncarnationOpening opening = new IncarnationOpening(options, store, host, workers);
        try {
            opening.open(clock, listener);
            return new ShipParts(opening, workers, clock, listener);
        } catch (IOException | RuntimeException e) {
            opening.abandon();
            throw e;
        }
    }

    /** Gives back what is no longer needed, and wakes up from now on when the state directory is touched. */
    void trim(long nowMs) {
        if (nowMs < nextTrimMs) {
            return;
        }
        nextTrimMs = nowMs + TRIM_MS;
        pipeline.trim();
        copies.trim(table.size());
        if (state != null) {
            watcher.wakeFor(state.path());
        }
    }

    /** Remembers how far the log was acknowledged, for the next start. */
    void rememberAcknowledged() {
        long seq = pipeline.acknowledgedSeq();
        long lookedFor = presence.lookedFor();
        try {
            if (state != null && (seq > rememberedSeq || lookedFor > rememberedLook)) {
                state.acknowledged(hostId, seq, lookedFor);
                rememberedSeq = seq;
                rememberedLook = lookedFor;
            }
        } catch (ErrnoException e) {
            // the next start then cannot say that the archive was set back
        }
    }

    /** Tells the next start, or the next who asks, why the log takes no more. */
    void endedBy(IOException cause, ShipStatus last) throws IOException {
        if (cause instanceof FencedException fenced) {
            pulse.fenced(fenced.who(), sideline, last);
        } else if (cause instanceof DamagedLogException damage
                && !damage.altered().isEmpty()) {
            altered(damage.altered());
        }
    }

    private void altered(List<String> keys) throws IOException {
        try {
            if (state != null) {
                state.remember(IncarnationOpening.ALTERED, String.join(" ", keys));
            }
        } catch (ErrnoException e) {
            // who opens another shipper gives it the keys
        }
    }

    /** Ends the incarnation: everything was compared. Where times do not show what changes from now on that is said. */
    void closeIncarnation() {
        presence.demandNothing(); // a commit that is put now comes behind those that are there
        List<Long> unproven = new ArrayList<>();
        for (Tail tail : table.objects()) {
            if (tail.isLive() && !tail.isResting() && !tail.bytes().isToldByTimes()) {
                unproven.add(tail.versionId);
            }
        }
        try {
            if (state != null) {
                state.unproven(hostId, pipeline.acknowledgedSeq() + 1, unproven);
            }
        } catch (ErrnoException e) {
            // the next shipper finds nothing, and compares more
        }
        pipeline.write(new LogRecord.IncarnationClosed(true));
    }

    /** Follows other sources, by other rules, from now on; what belongs to both loses nothing. */
    void reload(ShipOptions options) throws IOException {
        scope.replace(options);
        for (Tail tail : table.all()) {
            Dentry name = tail.name();
            tail.rules(name == null ? tail.rules() : scope.rules(name.path()));
        }
        pipeline.lag(options.pace().maxLagMs());
        pulse.reload(options);
        watcher.retarget(scope.roots());
        unmatchedDue = true;
    }

    /**
     * Says whether bytes may be at risk that nobody can count: a directory cannot be read, a file not even looked at,
     * or it is not known what was delivered. While a directory is not scanned yet is the caller's to know.
     */
    boolean isRiskUnknown() {
        return watcher.unreadable() > 0 || dentries.unreadable().hasUnknownSize() || undelivered.bytes() < 0;
    }

    /** Says whether names are still to be found, or to be looked at. */
    boolean isScanning() {
        return watcher.scanning() || !dentries.isSettled();
    }

    /** Says once, when a scan is over, which patterns match nothing; and that links lead out, when the first does. */
    void sayUnmatched() {
        if (isScanning()) {
            return;
        }
        if (unmatchedDue) {
            unmatchedDue = false;
            scope.sayUnmatched();
            old.say();
        }
        links.say();
    }

    /** Says whether each glob of a source was found to match a name. */
    boolean foundAll() {
        return scope.foundAll();
    }

    /** Takes the names the archive had that are gone; what cannot be read now, and what is below it, may be there. */
    List<Pathname> takeGone() {
        return known.takeUnseen(scope::covers, hidden());
    }

    /** Looks for the files that had a name when a shipper ran last, and have none that is followed. */
    void seekMissing() {
        missing.seek(scope::covers, hidden());
    }

    private Predicate<Pathname> hidden() {
        Set<Pathname> unreadable = Stream.concat(
                        watcher.unreadablePaths(), dentries.unreadable().paths())
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
        return dentries.unreadable().bytes() + losses.bytes();
    }

    @Override
    public void close() {
        watcher.close();
        for (Tail tail : table.objects()) {
            descriptors.close(tail);
        }
        files.close();
        patrol.close();
        verifier.close();
        dentries.close();
        links.close();
        missing.close();
        tailer.close();
        copies.close();
        descriptors.close();
        pipeline.close();
        if (state != null) {
            state.close();
        }
    }
}
