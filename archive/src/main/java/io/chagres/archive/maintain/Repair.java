package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.read.FrameCheck;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.History;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.KeyCheck;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.Quarantine;
import io.chagres.archive.state.RowSorter;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a host readable again whose log or tables are damaged. It puts a checkpoint of all that is left, with packs of
 * the bytes that damaged commits still hold, and moves damaged objects below {@code quarantine/}. Before it changes
 * anything it compares what can be read with what could be read afterwards, and refuses if that were less. Data objects
 * stay where they are: each of their pieces counts alone. Confined to one thread.
 */
public final class Repair {
    /** The format knows no greater object of those that are moved, a commit with all it may hold. */
    private static final long MAX_MOVED_BYTES = 2L << 30;

    private final BlobStore store;
    private final String hostId;
    private final LocalTables tables;
    private final LongSupplier clockMs;
    private final RepairListener listener;
    private final Map<String, String> damaged = new LinkedHashMap<>();
    /** What is read to its end, but not by those who look something up in it: what it says is not lost. */
    private final Map<String, String> unindexed = new LinkedHashMap<>();
    /** The numbers of all that have the key of a commit. */
    private final NavigableSet<Long> commits = new TreeSet<>();

    private long steps;
    private long failures;
    private boolean encrypted;
    private @Nullable String doubt;
    private final HostMend mend;

    /** Prepares a repair as the other, with what does not fit into its memory in {@code java.io.tmpdir}. */
    public Repair(BlobStore store, String hostId, LongSupplier clockMs, RepairListener listener) {
        this(store, hostId, LocalTables.temporary(), clockMs, listener);
    }

    /**
     * Prepares the repair of one host.
     *
     * @param tables where most of a large host is that is not damaged; stays the caller's
     */
    public Repair(BlobStore store, String hostId, LocalTables tables, LongSupplier clockMs, RepairListener listener) {
        this.store = store;
        this.hostId = hostId;
        this.tables = tables;
        this.clockMs = clockMs;
        this.listener = listener;
        mend = new HostMend(store, hostId, listener);
    }

    /** Returns how many steps were done, or would be; also when the last run failed. */
    public long steps() {
        return steps;
    }

    /** Returns why nobody knows that the shipper has ended, though nothing tells that it lives; null if it is known. */
    public @Nullable String doubt() {
        return doubt;
    }

    /**
     * Repairs the host.
     *
     * @param apply whether anything is changed
     * @return steps done, or that would be; 0 when the host needs none
     * @throws StoreException when its shipper lives, and anything would be changed; when less could be read afterwards,
     *     and nothing was changed; when a step failed
     */
    public long run(boolean apply) throws IOException {
        try {
            return repair(apply);
        } catch (UncheckedIOException e) { // of what is read while somebody goes through it
            throw e.getCause();
        } finally {
            tables.release(hostId);
        }
    }

    private long repair(boolean apply) throws IOException {
        Map<String, String[]> losses = new LinkedHashMap<>();
        long good = collect();
        Set<String> listed = new HashSet<>();
        commits.forEach(seq -> listed.add(ArchiveLayout.commit(hostId, seq)));
        for (String key : mend.noCommits(listed)) { // a commit that was there is lost, and none can be written
            damaged.putIfAbsent(key, "what has its name is no object");
            losses.putIfAbsent(key, new String[] {"what has its name is no object", "a commit that was there is lost"});
        }
        HostState state = load(losses);
        addLater(good, state.seq());
        tellMissing(good, state.seq(), losses);
        if (state.seq() == 0) {
            requireAnything();
        }
        boolean isLost = !losses.isEmpty();
        BlobStore rest = new AfterRepair(store, Set.copyOf(damaged.keySet())).opened();
        CorruptArchiveException gap = mend.gap(rest);
        if (gap != null) {
            losses.putIfAbsent(gap.object(), new String[] {gap.fault(), "what was committed by it is lost"});
        }
        if (gap != null && state.seq() > 0) { // with nothing left they are the only trace of the host
            mend.addAhead(rest, state.seq(), damaged);
        }
        damaged.putAll(unindexed);
        boolean mends = mend.plan(state, good, left(), damaged);
        if (damaged.isEmpty() && losses.isEmpty() && !mends) {
            return 0;
        }
        Rescue rescue = new Rescue(state, hostId, this::leaves);
        AfterRepair after = new AfterRepair(store, Set.copyOf(damaged.keySet()));
        boolean needsState = state.seq() > 0 && (isLost || rescue.isNeeded() || !isWhole(after, state.seq()));
        if (needsState || mends || !damaged.isEmpty()) {
            lookForShipper(state, apply);
        }
        CheckpointId id = Checkpoints.next(store, hostId, state.seq());
        BlobStore writing = needsState ? writing(state) : store;
        if (apply) {
            stage(state, needsState ? id : null, rescue, writing, after, losses);
        }
        losses.forEach((object, loss) -> listener.step(RepairAction.LOSS, object, loss[0], loss[1]));
        if (needsState) {
            tellState(id);
        }
        if (apply && needsState) {
            put(after, id, writing);
        }
        if (apply && state.seq() > 0) {
            mend.note(losses.keySet());
        }
        moveAll(state, apply);
        for (String key : mend.puts()) {
            String[] reason = mend.reason(key);
            step(RepairAction.PUT, key, reason[0], reason[1]);
        }
        if (apply) {
            mend.put();
        }
        return steps;
    }

    private void lookForShipper(HostState state, boolean apply) throws IOException {
        ShipperLife life = ShipperLife.of(store, hostId, state, clockMs);
        doubt = life.doubt();
        if (apply) {
            life.requireEnded(store, hostId);
        }
    }

    private void tellState(CheckpointId id) {
        step(
                RepairAction.CHECKPOINT,
                ArchiveLayout.checkpoint(hostId, id),
                "commits or checkpoints are damaged or missing",
                "the host can be read as far as it is left");
    }

    /** Loads what is left. Tables may say what lost commits said, unless they contradict those that are there. */
    private HostState load(Map<String, String[]> losses) throws IOException {
        HostState state = load(Set.of(), tables, losses);
        boolean isBeyond = state.seq() > (commits.isEmpty() ? 0 : commits.last());
        Set<String> hints = new HashSet<>();
        for (BlobInfo table : BlobList.all(store, ArchiveLayout.tables(hostId), null)) {
            hints.add(table.key());
        }
        hints.removeAll(damaged.keySet());
        if (hints.isEmpty() || (damaged.isEmpty() && losses.isEmpty() && !isBeyond)) {
            return state;
        }
        try (LocalTables aside = LocalTables.temporary()) {
            HostState ofCommits = load(hints, aside, new HashMap<>());
            if (!TableClaims.contradict(ofCommits, state)) {
                return state;
            }
        }
        hints.forEach(key -> damaged.put(key, "it contradicts the commits"));
        losses.clear();
        tables.release(hostId);
        return load(hints, tables, losses);
    }

    private HostState load(Set<String> hidden, LocalTables in, Map<String, String[]> losses) throws IOException {
        Salvage.Listener told = new Salvage.Listener() {
            @Override
            public void lost(String object, String cause, String consequence) {
                losses.put(object, new String[] {cause, consequence});
            }

            @Override
            public void stray(String object, String cause) {
                damaged.put(object, cause);
            }
        };
        Set<String> without = new HashSet<>(damaged.keySet()); // those that are whole are found then
        without.removeIf(object -> object.startsWith(ArchiveLayout.log(hostId)));
        without.addAll(hidden);
        return Salvage.load(new AfterRepair(store, without).opened(), hostId, in, told);
    }

    private NavigableSet<Long> left() {
        NavigableSet<Long> left = new TreeSet<>(commits);
        left.removeIf(this::leaves);
        return left;
    }

    /** Says whether a commit will not be there. */
    private boolean leaves(long seq) {
        return !commits.contains(seq) || damaged.containsKey(ArchiveLayout.commit(hostId, seq));
    }

    /** Says whether the rest of the log and its checkpoints lead to a commit without what is moved away. */
    private boolean isWhole(AfterRepair after, long seq) throws IOException {
        try {
            return HostLog.replay(after.opened(), hostId, tables, RunListener.NONE)
                            .seq()
                    >= seq;
        } catch (CorruptArchiveException | CompactedHistoryException e) {
            return false;
        }
    }

    /** Where nothing can be read at all, a host without its checkpoints would look as if it never held anything. */
    private void requireAnything() throws StoreException {
        String checkpoints = ArchiveLayout.checkpoints(hostId);
        boolean held = false;
        for (Map.Entry<String, String> each : damaged.entrySet()) {
            if (each.getKey().startsWith(checkpoints)) {
                held = true;
                listener.step(RepairAction.LOSS, each.getKey(), each.getValue(), "it is the only trace of the host");
            }
        }
        if (held) {
            throw new StoreException(
                    store.name() + ": nothing of host " + hostId + " can be read. Nothing was changed");
        }
    }

    /**
     * Writes packs of what leaves, and makes the checkpoint, but only in memory.
     *
     * @param id of the checkpoint; null for none
     * @throws StoreException when less could be read; the store is then as it was
     */
    private void stage(
            HostState state,
            @Nullable CheckpointId id,
            Rescue rescue,
            BlobStore writing,
            AfterRepair after,
            Map<String, String[]> losses)
            throws IOException {
        WrittenExtents written = id == null
                ? new WrittenExtents(RowSorter.inMemory())
                : rescue.write(
                        store,
                        writing,
                        (bytes, cause) -> losses.putIfAbsent(
                                cause.object(), new String[] {cause.fault(), bytes + " and maybe more are lost"}));
        boolean isRefused = true;
        try {
            if (id != null) {
                Checkpoint.writeRepaired(after.opened(), hostId, id.revision(), state, rescue.contents(written));
            }
            String less = Readability.less(store, hostId, state, after, tables);
            if (less != null && state.seq() > 0) {
                throw new StoreException(
                        store.name() + ": a repair of host " + hostId + " would lose what can be read: " + less
                                + ". Nothing was changed; 'restore --salvage' gives all that is left");
            }
            isRefused = false;
        } finally {
            if (isRefused) {
                rescue.undo(store, written);
            }
        }
    }

    private void put(AfterRepair after, CheckpointId id, BlobStore writing) throws IOException {
        if (store.exists(ArchiveLayout.checkpoint(hostId, id))) {
            throw new StoreException(store.name() + ": a compaction of host " + hostId
                    + " goes by. Nothing was changed; repair it again");
        }
        after.putInto(writing);
    }

    /** Nobody else says what a history does, so that another is there before a damaged one is moved away. */
    private void copyHistories(HostState state, boolean apply) throws IOException {
        for (String key : unindexed.keySet()) {
            String target = key.startsWith(ArchiveLayout.history(hostId))
                    ? History.keyOfCopy(store, hostId, key, damaged.keySet())
                    : null;
            if (target != null) {
                step(RepairAction.PUT, target, key + " is damaged at its end", "it holds the same records");
                if (apply) {
                    History.copy(store, writing(state), key, target);
                }
            }
        }
    }

    private void moveAll(HostState state, boolean apply) throws IOException {
        copyHistories(state, apply);
        for (Map.Entry<String, String> each : damaged.entrySet()) {
            String target = target(each.getKey());
            step(RepairAction.QUARANTINE, each.getKey(), each.getValue(), "it is kept as " + target);
            if (apply) {
                try {
                    ProtectedStore.stored(store).move(each.getKey(), target, MAX_MOVED_BYTES);
                } catch (StoreException e) {
                    steps--;
                    failures++;
                    listener.step(
                            RepairAction.FAILURE,
                            each.getKey(),
                            String.valueOf(e.getMessage()),
                            "it stays where it is");
                }
            }
        }
        if (failures > 0) {
            throw new StoreException(store.name() + ": " + failures + (failures == 1 ? " step" : " steps")
                    + " of the repair of host " + hostId + " failed");
        }
    }

    /** Adds the commits that a shipper put since they were listed. */
    private void addLater(long good, long last) throws IOException {
        Long listed = commits.floor(last);
        for (long seq = Math.max(good, listed == null ? 0 : listed) + 1; seq <= last; seq++) {
            if (mend.isNothing(ArchiveLayout.commit(hostId, seq))) {
                return;
            }
            commits.add(seq);
        }
    }

    /** A table states what missing commits said; the bytes in them it does not have. */
    private void tellMissing(long good, long last, Map<String, String[]> losses) {
        long expected = good + 1;
        for (long seq : commits.tailSet(good, false)) {
            if (seq > last) {
                break;
            }
            tellMissing(expected, seq - 1, losses, "it is missing");
            expected = seq + 1;
        }
        tellMissing(expected, last, losses, "it is missing");
    }

    private void tellMissing(long first, long last, Map<String, String[]> losses, String cause) {
        if (first <= last) {
            String many = first == last ? cause : cause + ", and all up to commit " + last;
            losses.putIfAbsent(
                    ArchiveLayout.commit(hostId, first), new String[] {many, "bytes that only it held are lost"});
        }
    }

    private void step(RepairAction action, String object, String why, String consequence) {
        steps++;
        listener.step(action, object, why, consequence);
    }

    /** Collects what is damaged; returns the seq of the newest checkpoint that is not, 0 for none. */
    private long collect() throws IOException {
        CommitForks forks = new CommitForks();
        try (CommitReader reader = new CommitReader(store)) {
            for (BlobInfo object : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
                long number = ArchiveLayout.seqOf(object.key()).orElse(0);
                if (number > 0) {
                    commits.add(number);
                    check(object.key(), () -> {
                        CommitHeader commit = reader.read(object.key());
                        encrypted |= commit.isEncrypted();
                        long seq = commit.seq();
                        if (seq != number) {
                            throw new CorruptArchiveException(object.key(), "it says it is commit " + seq);
                        }
                        forks.add(commit);
                    });
                }
            }
        }
        long good = 0;
        NavigableSet<CheckpointId> counting = Checkpoints.counting(store, hostId);
        if (counting.isEmpty()) { // with one it is known whether commits are those that it stands for
            for (long seq : forks.replaced()) {
                damaged.putIfAbsent(
                        ArchiveLayout.commit(hostId, seq), "it is another than the commits around it follow");
            }
        }
        for (CheckpointId id : Checkpoints.listed(store, hostId)) {
            String key = ArchiveLayout.checkpoint(hostId, id);
            check(key, () -> {
                boolean isSmall = !HostLog.load(store, hostId, id, tables, RunListener.NONE)
                        .isLarge(); // of a large one all was looked up
                tables.release(hostId);
                if (isSmall) {
                    check(key, unindexed, () -> HostLog.checkIndex(store, key));
                }
            });
            good = damaged.containsKey(key) || !counting.contains(id) ? good : id.seq();
        }
        for (String prefix : new String[] {ArchiveLayout.tables(hostId), ArchiveLayout.history(hostId)}) {
            for (BlobInfo object : BlobList.all(store, prefix, null)) {
                check(object.key(), () -> HostLog.check(store, object.key()));
                if (!damaged.containsKey(object.key())) {
                    check(object.key(), unindexed, () -> FrameCheck.check(store, object.key()));
                }
            }
        }
        check(ArchiveLayout.owner(hostId), () -> HostRegistry.recordedName(store, hostId));
        mend.checkCaches(this::check);
        addStrays(counting);
        return good;
    }

    /** Adds commits that have the numbers of others which a checkpoint stands for. */
    private void addStrays(NavigableSet<CheckpointId> counting) throws IOException {
        CheckpointId newest = null;
        for (CheckpointId id : counting) {
            newest = damaged.containsKey(ArchiveLayout.checkpoint(hostId, id)) ? newest : id;
        }
        if (newest == null) {
            return;
        }
        addRemoved(newest);
        if (!commits.contains(newest.seq())) {
            return;
        }
        byte[] chain = Checkpoint.header(store, hostId, newest).chain();
        boolean isKnown = !Arrays.equals(chain, new byte[chain.length]);
        if (isKnown && Sweep.isAnother(store, ArchiveLayout.commit(hostId, newest.seq()), chain)) {
            for (long seq = newest.seq(); commits.contains(seq); seq--) {
                damaged.putIfAbsent(
                        ArchiveLayout.commit(hostId, seq),
                        "it is none of the commits that checkpoint " + newest.seq() + " stands for");
            }
        }
    }

    /**
     * Adds commits that nobody needs: a checkpoint and histories tell what they said, and those behind them were
     * removed. Somebody put them again, and they keep a compaction from removing more.
     */
    private void addRemoved(CheckpointId newest) throws IOException {
        List<String> told = History.keys(store, hostId, newest.seq());
        if (told.isEmpty() || told.stream().anyMatch(damaged::containsKey)) {
            return;
        }
        long first = newest.seq() + 1;
        while (commits.contains(first - 1)) {
            first--;
        }
        Quarantine named = Quarantine.read(store, hostId);
        long behind = first;
        for (long seq : commits.headSet(first, false).descendingSet()) {
            if (seq + 1 < behind && named.namedMs(seq + 1, behind - 1).isPresent()) {
                return; // a repair left it: nothing else tells its moment
            }
            damaged.putIfAbsent(
                    ArchiveLayout.commit(hostId, seq),
                    "checkpoint " + newest.seq() + " and histories stand for it, and commits behind it were removed");
            behind = seq;
        }
    }

    /** An object that the identities do not open is damaged where they open all for the same recipients. */
    private void requireOpened(HostMend.Check check) throws IOException {
        try {
            check.run();
        } catch (EncryptedException e) {
            throw KeyCheck.ofDamaged(store, hostId, e);
        }
    }

    /** An object that looks damaged twice is damaged. One that the store refuses may be whole, and cannot be moved. */
    private void check(String key, HostMend.Check check) throws IOException {
        check(key, damaged, check);
    }

    private void check(String key, Map<String, String> found, HostMend.Check check) throws IOException {
        for (int attempt = 1; attempt <= 2; attempt++) {
            try {
                requireOpened(check);
                return;
            } catch (CorruptArchiveException e) {
                if (attempt == 2) {
                    found.put(key, e.fault());
                }
                CachingStore.forget(store, key);
            } catch (NoSuchBlobException e) {
                return; // a compaction removed it, or it was never there
            } catch (StoreException e) {
                HostRegistry.requireDamage(store, e);
                requireGiven(key, e);
                listener.step(RepairAction.LOSS, key, "it cannot be read: " + e.getMessage(), "it stays where it is");
                return;
            }
        }
    }

    /** A checkpoint without what the store refuses would call that lost, and a compaction remove it, whole or not. */
    private void requireGiven(String key, StoreException refusal) throws StoreException {
        if (key.startsWith(ArchiveLayout.log(hostId))
                || key.startsWith(ArchiveLayout.checkpoints(hostId))
                || key.startsWith(ArchiveLayout.history(hostId))) {
            throw new StoreException(
                    refusal.getMessage() + ". It may be whole, and a repair would call lost what it holds. Nothing was"
                            + " changed; give the right to read it, or move " + key
                            + " out of the archive if nothing can read it again, and repair then",
                    refusal);
        }
    }

    /** Returns a store that encrypts to whom the host does. */
    private BlobStore writing(HostState state) throws StoreException {
        if (encrypted && state.recipients().equals(LogRecord.Recipients.NONE)) {
            throw new StoreException(store.name() + ": to whom host " + hostId + " encrypts was lost with its first"
                    + " commits. Nothing was changed, since names would be written in the clear; --salvage reads it");
        }
        return ProtectedStore.writing(store, state.recipients());
    }

    private String target(String key) throws IOException {
        String target = ArchiveLayout.QUARANTINE + key;
        for (int copy = 1; mend.isTaken(target); copy++) {
            target = ArchiveLayout.QUARANTINE + key + "-" + copy;
        }
        return target;
    }
}
