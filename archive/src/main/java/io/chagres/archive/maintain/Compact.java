package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.find.LineFilters;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.prove.CompactorSignature;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.History;
import io.chagres.archive.state.HistoryExpiry;
import io.chagres.archive.state.HistoryWriter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.SpillFile;
import io.chagres.archive.state.VersionPaths;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Turns the many commits of a host into few objects, while its shipper continues. It writes the bytes of commits and of
 * small objects into larger objects and into packs. Then a checkpoint says where everything is. What the checkpoint
 * stands for is removed once it is older than a grace period, because readers may be using it. A compaction that ends
 * anywhere on the way leaves an archive that holds the same bytes; running it again continues. Several may run at once:
 * the first to write its checkpoint counts. Confined to one thread.
 */
public final class Compact {
    private final BlobStore store;
    private final CompactOptions options;
    private final LocalTables tables;
    private final LongSupplier clockMs;
    private final CompactListener listener;
    private final @Nullable LongUnaryOperator taken;
    private final @Nullable CompactorSignature signature;
    /** Gives what the new objects are made of: only what is proven when they are signed. */
    private final BlobStore reading;
    /** Encrypts to whom the host does. */
    private BlobStore writing;

    private long objectsWritten;
    private long contentBytes;
    private long storedBytes;
    private CompactExpired expired = CompactExpired.NOTHING;
    private long storeMs;
    private Sweep.@Nullable Imagined imagined;
    private Set<String> replaced = Set.of();
    private HostState.@Nullable Changes changes;

    /** Makes a compaction as the other, with what does not fit into its memory in {@code java.io.tmpdir}. */
    public Compact(BlobStore store, CompactOptions options, LongSupplier clockMs, CompactListener listener) {
        this(store, options, LocalTables.temporary(), clockMs, listener);
    }

    /**
     * Makes a compaction; nothing happens before {@link #host}.
     *
     * @param tables where most of a large host is meanwhile; stays the caller's
     * @param clockMs the clock here, milliseconds since 1970: nothing is old that is young by it or by the store's
     */
    public Compact(
            BlobStore store,
            CompactOptions options,
            LocalTables tables,
            LongSupplier clockMs,
            CompactListener listener) {
        this(store, options, tables, clockMs, listener, null, null);
    }

    /**
     * Makes a compaction as above that signs what it makes, of what is proven alone. A host that is not proven stays as
     * it is: its commits would take their signatures along.
     */
    public static Compact signing(
            BlobStore store,
            CompactOptions options,
            LocalTables tables,
            LongSupplier clockMs,
            CompactListener listener,
            CompactorSignature signature) {
        return new Compact(store, options, tables, clockMs, listener, null, signature);
    }

    private Compact(
            BlobStore store,
            CompactOptions options,
            LocalTables tables,
            LongSupplier clockMs,
            CompactListener listener,
            @Nullable LongUnaryOperator taken,
            @Nullable CompactorSignature signature) {
        this.store = store;
        this.signature = signature;
        reading = signature == null ? store : signature.store();
        writing = reading;
        this.options = options;
        this.tables = tables;
        this.clockMs = clockMs;
        this.listener = listener;
        this.taken = taken;
    }

    /**
     * Makes a compaction of an archive that is a spool: what was taken from it leaves at once, and so do the objects it
     * was in. Besides its shipper, which looks for no copies, nobody may use the archive meanwhile.
     *
     * @param memoryBytes how many bytes to hold in memory
     * @param taken returns, of a version, the position before which nobody needs its bytes; the same as long as this
     *     compacts
     */
    public static Compact ofSpool(
            BlobStore store,
            long memoryBytes,
            LongSupplier clockMs,
            CompactListener listener,
            LongUnaryOperator taken) {
        CompactOptions options = new CompactOptions(
                0, 0, Codec.ZSTD, 1, memoryBytes, false, Duration.ofDays(1).toMillis());
        return new Compact(store, options, LocalTables.temporary(), clockMs, listener, taken, null);
    }

    /**
     * Compacts one host.
     *
     * @throws CorruptArchiveException when its log cannot be read; verify says more
     * @throws IOException when the store refuses
     */
    public CompactSummary host(String hostId) throws IOException {
        objectsWritten = 0;
        contentBytes = 0;
        storedBytes = 0;
        expired = CompactExpired.NOTHING;
        storeMs = Long.MIN_VALUE;
        imagined = null;
        replaced = Set.of();
        try {
            long seq = newest(hostId, null, reading);
            release(hostId);
            if (seq > 0 && !options.dryRun() && taken == null) {
                LineFilters.write(writing, hostId, tables, changes);
                release(hostId);
                sign(hostId);
            }
            return sweep(hostId, seq);
        } catch (UncheckedIOException e) { // of what is read while somebody goes through it
            throw e.getCause();
        } finally {
            release(hostId);
        }
    }

    /** Signs the newest checkpoint with all that it stands on, unless it is signed. */
    private void sign(String hostId) throws IOException {
        CheckpointId newest = signature == null ? null : Checkpoints.newest(reading, hostId);
        if (signature == null || newest == null || signature.isSigned(hostId, newest)) {
            return;
        }
        String checkpoint = ArchiveLayout.checkpoint(hostId, newest);
        References references = References.of(reading, hostId, newest);
        if (references.oldestCommit() <= newest.seq()) {
            throw new CorruptArchiveException(
                    checkpoint,
                    "it refers to bytes in commit " + references.oldestCommit()
                            + " that could not be rewritten; it is not signed");
        }
        Set<String> objects = new HashSet<>(references.objects());
        objects.add(checkpoint);
        objects.addAll(History.keys(reading, hostId, newest.seq()));
        LineFilters.list(reading, hostId).forEach(filter -> objects.add(filter.key()));
        signature.sign(hostId, newest, objects);
    }

    /** Closes the tables of a large host, once nobody holds a state of it. */
    private void release(String hostId) {
        if (tables.release(hostId)) {
            tables.freed();
        }
    }

    /**
     * Brings the newest checkpoint up to date; returns the number of its commit.
     *
     * @param unproven what is made again; null for nothing
     * @param from the store, without the checkpoints that do not stand for anything
     */
    private long newest(String hostId, Sweep.@Nullable Unproven unproven, BlobStore from) throws IOException {
        long begunMs = clockMs.getAsLong();
        // a dry run reads records, and of data only where lines end
        try (SpillFile spill = tables.spill();
                KeptCommits commits = new KeptCommits(from, hostId, options.memoryBytes() / 8 * 7, spill);
                HistoryWriter history = new HistoryWriter(options.historyMs(), tables.spill())) {
            HostState state = options.dryRun()
                    ? HostLog.replay(from, hostId, tables, RunListener.NONE)
                    : HostLog.replay(commits, hostId, tables, history);
            changes = state.changes();
            writing = ProtectedStore.writing(reading, state.recipients());
            CorruptArchiveException untold = LogWitness.untold(store, hostId, state.seq());
            if (untold != null) {
                throw untold; // a checkpoint would take the place of what readers know by that table
            }
            if (state.seq() > 0) {
                NavigableSet<CheckpointId> known = Checkpoints.counting(from, hostId);
                CheckpointId next = Checkpoints.next(store, hostId, state.seq());
                Retention retention = retention(hostId, state);
                boolean moves = unproven != null || isUntouched(hostId, state, known, from);
                if (moves || retention.changesAnything()) {
                    if (!options.dryRun()) {
                        removeDamagedHistories(hostId, unproven);
                        CheckpointId begin = history.write(writing, hostId, state);
                        if (begin != null) {
                            String key = ArchiveLayout.checkpoint(hostId, begin);
                            listener.momentsLost(
                                    key, Checkpoint.header(store, hostId, begin).timeMs());
                        }
                    }
                    rewrite(commits, hostId, state, retention, next, moves, begunMs);
                }
            }
            return state.seq();
        }
    }

    /** Returns the time of the store, or that here if it is earlier. A dry run makes no file to ask a directory. */
    private long nowMs() throws IOException {
        long here = clockMs.getAsLong();
        if (options.dryRun()) {
            return here;
        }
        storeMs = Math.max(storeMs, store.nowMs());
        return Math.min(here, storeMs);
    }

    private Retention retention(String hostId, HostState state) throws IOException {
        if (taken != null) {
            return Retention.taken(state, taken, nowMs());
        }
        long nowMs = options.retainMs() == 0 ? Long.MIN_VALUE : nowMs();
        return nowMs == Long.MIN_VALUE
                ? Retention.none(state)
                : Retention.of(state, new StoreTimes(store, hostId), options, nowMs);
    }

    /** Moments go that are as old as bytes that expire, and with them the names of what was gone before. */
    private void expireHistory(String hostId, HostState state, Retention retention) throws IOException {
        if (options.retainMs() > 0 && taken == null) {
            LongPredicate keeps = id -> {
                FileVersion version = state.version(id);
                return version != null && retention.keeps(version);
            };
            HistoryExpiry.write(reading, writing, hostId, state, nowMs() - options.retainMs(), keeps, tables);
        }
    }

    /** A history that is written again cannot have the key of a damaged one; all that the damaged one said is known. */
    private void removeDamagedHistories(String hostId, Sweep.@Nullable Unproven unproven) throws IOException {
        for (String object :
                unproven == null ? Set.<String>of() : unproven.faults().keySet()) {
            if (object.startsWith(ArchiveLayout.history(hostId)) && ArchiveLayout.historyOf(object) != null) {
                store.delete(ArchiveLayout.historyMark(object));
                store.delete(object);
            }
        }
    }

    /**
     * Says whether a state has no checkpoint, or one that refers to commits and that a repair put: what a compaction
     * leaves in commits is damaged.
     *
     * @param known the checkpoints that are listed
     */
    private boolean isUntouched(String hostId, HostState state, NavigableSet<CheckpointId> known, BlobStore store)
            throws IOException {
        CheckpointId newest = known.floor(new CheckpointId(state.seq(), Long.MAX_VALUE));
        if (newest == null || newest.seq() < state.seq()) {
            newest = new CheckpointId(state.seq(), 0); // a list that lags may not show it
            if (!store.exists(ArchiveLayout.checkpoint(hostId, newest))
                    || !store.exists(ArchiveLayout.mark(hostId, newest))) {
                return true;
            }
        }
        for (FileVersion version : tables.relieving(state.versions())) {
            for (LogRecord.Extent extent : Extents.of(version)) {
                if (extent instanceof LogRecord.Run) {
                    return Checkpoints.isOfRepair(store, hostId, newest);
                }
            }
        }
        return false;
    }

    /** Writes the checkpoint, and before it, if it has to be, what commits hold and small objects as new objects. */
    private void rewrite(
            KeptCommits commits,
            String hostId,
            HostState state,
            Retention retention,
            CheckpointId next,
            boolean moves,
            long begunMs)
            throws IOException {
        try (VersionPaths paths = new VersionPaths(state, tables);
                VersionReader reader = new VersionReader(commits, hostId, state);
                LineEnds lines = new LineEnds(reader);
                WrittenExtents written = new WrittenExtents(tables.sorter());
                MergeWriter writer = new MergeWriter(writing, hostId, state, reader, written, options, listener);
                CompactionPlan plan = moves
                        ? CompactionPlan.of(state, retention, lines, paths, tables)
                        : CompactionPlan.none(state, retention, tables)) {
            expired = retention.report(listener, paths);
            if (options.dryRun()) {
                imagine(plan, state, hostId, next);
                return;
            }
            relieve(state);
            writer.write(plan.outputs(), plan.totalBytes(), options.memoryBytes() / 2, () -> relieve(state));
            CompactedContents contents = new CompactedContents(retention, written);
            boolean counts = !isOvertaken(hostId, next, begunMs)
                    && Checkpoint.write(writing, hostId, next.revision(), state, contents);
            if (!counts) {
                // another compaction came first: what was written here is garbage, and removed with it later
                expired = CompactExpired.NOTHING;
                return;
            }
            if (taken != null) {
                replaced = plan.objects(hostId);
            }
            objectsWritten = writer.objects();
            contentBytes = writer.contentBytes();
            storedBytes = writer.storedBytes();
            relieve(state);
            expireHistory(hostId, state, retention);
        }
    }

    /** Tells that much of what was made of a large host is garbage, which would otherwise only grow. */
    private void relieve(HostState state) {
        if (state.isLarge()) {
            tables.freed();
        }
    }

    private void imagine(CompactionPlan plan, HostState state, String hostId, CheckpointId next) {
        for (CompactionPlan.Output output : plan.outputs()) {
            output.merges().forEach(merge -> listener.step(CompactAction.WRITE, merge.describe(), merge.length()));
            objectsWritten++;
            relieve(state);
        }
        contentBytes = plan.totalBytes();
        if (options.graceMs() == 0) {
            imagined = new Sweep.Imagined(next, plan.untouched(hostId));
        }
    }

    /** Says whether another compaction may have removed what the checkpoint would refer to. */
    private boolean isOvertaken(String hostId, CheckpointId next, long begunMs) throws IOException {
        NavigableSet<CheckpointId> now = Checkpoints.counting(store, hostId);
        if (!now.isEmpty() && now.last().compareTo(next) >= 0) {
            return true;
        }
        long tookMs = clockMs.getAsLong() - begunMs;
        if (tookMs > Sweep.ORPHAN_MS / 2) {
            throw new IOException("compacting host " + hostId + " took "
                    + Duration.ofMillis(tookMs).toHours()
                    + " hours; what it wrote may no longer count. Nothing is lost: compact more often, or with more"
                    + " bandwidth");
        }
        return false;
    }

    private CompactSummary sweep(String hostId, long seq) throws IOException {
        Sweep sweep = planned(hostId);
        sweep.removed().forEach(each -> listener.step(CompactAction.REMOVE, each.key(), each.lengthBytes()));
        if (!options.dryRun()) {
            sweep.run(); // whatever the store answers but success is a failure
        }
        return new CompactSummary(
                seq,
                objectsWritten,
                contentBytes,
                storedBytes,
                expired,
                sweep.commits().size(),
                sweep.checkpoints().size(),
                sweep.objects().size(),
                sweep.removed().stream().mapToLong(BlobInfo::lengthBytes).sum());
    }

    /** Finds out what can be removed; what does not hold what it stands for is made again before that, of commits. */
    private Sweep planned(String hostId) throws IOException {
        Sweep sweep = newSweep(hostId, Set.of());
        try {
            Sweep.Unproven unproven = sweep.plan(imagined);
            if (unproven != null && !unproven.isReplaced()) {
                Set<String> lost = makeAgain(hostId, unproven);
                if (options.graceMs() > 0 && lost.size() < unproven.faults().size()) {
                    return sweep; // what was made again stands for nothing before it is older
                }
                sweep = newSweep(hostId, lost);
                sweep.plan(imagined);
            }
        } catch (NoSuchBlobException e) {
            sweep.leave(); // another compaction removes the same
        } catch (CorruptArchiveException e) {
            listener.skipped("removing what was replaced", e);
            sweep.leave();
        } catch (CompactedHistoryException e) {
            listener.skipped(
                    "removing what was replaced",
                    new CorruptArchiveException(ArchiveLayout.log(hostId), String.valueOf(e.getMessage())));
            sweep.leave();
        }
        return sweep;
    }

    private Sweep newSweep(String hostId, Set<String> lost) throws IOException {
        return new Sweep(store, hostId, tables, options.graceMs(), nowMs(), replaced, lost);
    }

    /**
     * Makes the damaged objects of an earlier compaction again, of the commits and of an earlier checkpoint.
     *
     * @return the damaged objects that the commits refer to, too: nothing else holds their bytes
     * @throws CorruptArchiveException when commits are missing that it needs
     */
    private Set<String> makeAgain(String hostId, Sweep.Unproven unproven) throws IOException {
        BlobStore earlier = new EarlierCheckpoints(reading, hostId, unproven.checkpoint());
        Set<String> lost = new HashSet<>(unproven.faults().keySet());
        try {
            lost.retainAll(References.ofLog(earlier, hostId, tables).objects());
        } catch (CorruptArchiveException | CompactedHistoryException e) {
            throw unproven.faults().values().iterator().next(); // that is what would have to be made again
        }
        if (LogWitness.areOthers(store, hostId, unproven.checkpoint().seq())) {
            throw unproven.faults().values().iterator().next(); // what has the numbers of its commits says nothing
        }
        unproven.faults().forEach((object, cause) -> {
            if (lost.contains(object)) {
                listener.skipped("what refers to it", cause);
            } else {
                listener.madeAgain(object, cause);
            }
        });
        if (lost.size() < unproven.faults().size()) {
            newest(hostId, unproven, earlier);
        }
        return lost;
    }
}
