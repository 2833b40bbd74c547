package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.Repeats;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Loads what the log of a host adds up to: a checkpoint and the commits after it. Stateless, safe for any thread. */
public final class HostLog {
    private static final int MAX_ATTEMPTS = 5;

    private HostLog() {}

    /**
     * Loads the state of a host; that before the first commit when there is none.
     *
     * @param at up to which moment
     * @param filter chooses the versions whose extents are kept
     * @param listener hears of every version and extent
     * @throws CorruptArchiveException naming the object that is damaged or missing
     */
    public static HostState load(
            BlobStore store, String hostId, PointInTime at, ExtentFilter filter, RunListener listener)
            throws IOException {
        return load(store, hostId, at, StateLoad.inMemory(store, hostId, filter, listener, false));
    }

    /**
     * Loads what is of no name and no version of the newest state of a host, as above; the others go to somebody else.
     *
     * @param rows takes names and versions
     * @param listener hears of every commit
     */
    public static HostState load(BlobStore store, String hostId, HostRows rows, RunListener listener)
            throws IOException {
        return load(store, hostId, PointInTime.NOW, StateLoad.into(rows, store, hostId, listener));
    }

    /**
     * Loads some versions of the newest state of a host, and those that their bytes were copied from, without names.
     *
     * @param known some commits of its log, by number, which are not read
     * @throws CorruptArchiveException naming the object that is damaged or missing
     */
    public static HostState load(BlobStore store, String hostId, Set<Long> versionIds, Map<Long, CommitHeader> known)
            throws IOException {
        try {
            StateLoad load = StateLoad.inMemory(store, hostId, ExtentFilter.ALL, RunListener.NONE, false);
            return load(
                    store,
                    hostId,
                    PointInTime.NOW,
                    load.knowing(known).choosing(NameChoice.of(versionIds), Integer.MAX_VALUE));
        } catch (LargeHostException e) { // the index of a table is too large
            ExtentFilter filter = ExtentFilter.of(versionIds::contains);
            StateLoad load = StateLoad.inMemory(store, hostId, filter, RunListener.NONE, false);
            return load(store, hostId, PointInTime.NOW, load.knowing(known));
        }
    }

    /**
     * Opens a host as it was at a moment. A small host is in memory, and so are the names that were chosen of a large
     * one; else most is in a local table, whose blocks are read as they are needed.
     *
     * @param filter the versions whose extents are known, at least
     * @param names what is chosen, at least; null chooses all
     * @param tables where those of large hosts are; they outlive the state
     * @throws CorruptArchiveException naming the object that is damaged or missing
     */
    public static HostState open(
            BlobStore store,
            String hostId,
            PointInTime at,
            ExtentFilter filter,
            @Nullable NameChoice names,
            LocalTables tables)
            throws IOException {
        int most = tables.maxInMemory();
        try {
            StateLoad load = StateLoad.inMemory(store, hostId, filter, RunListener.NONE, false);
            return load(store, hostId, at, names == null ? load.within(most) : load.choosing(names, most));
        } catch (LargeHostException e) {
            return load(store, hostId, at, tables);
        }
    }

    /**
     * Loads the state of a host as above, but applies every commit since the newest checkpoint, so that a listener
     * hears of each.
     */
    public static HostState replay(BlobStore store, String hostId, ExtentFilter filter, RunListener listener)
            throws IOException {
        return load(store, hostId, PointInTime.NOW, StateLoad.inMemory(store, hostId, filter, listener, true));
    }

    /**
     * Loads the state of a host as above, with all extents. Most of a large host stays in local files, and the listener
     * does not hear what the checkpoint of such a host says.
     */
    public static HostState replay(BlobStore store, String hostId, LocalTables locals, RunListener listener)
            throws IOException {
        return load(store, hostId, PointInTime.NOW, StateLoad.over(locals, store, hostId, listener, true));
    }

    /**
     * Loads the state of a host with all extents; of a large host most of it stays in local files. It does not say
     * which compressed files hold a version's content.
     *
     * @param at up to which moment
     * @param locals where those files are
     * @throws CorruptArchiveException naming the object that is damaged or missing
     */
    public static HostState load(BlobStore store, String hostId, PointInTime at, LocalTables locals)
            throws IOException {
        StateLoad load = StateLoad.over(locals, store, hostId, RunListener.NONE, false);
        return load(store, hostId, at, load.keeping(at.equals(PointInTime.NOW)));
    }

    static HostState load(BlobStore store, String hostId, PointInTime at, StateLoad load) throws IOException {
        HostState state = null;
        try {
            state = loaded(store, hostId, at, load);
            return state;
        } finally {
            load.end(state);
        }
    }

    private static HostState loaded(BlobStore store, String hostId, PointInTime at, StateLoad load) throws IOException {
        Detour detour = new Detour(hostId);
        try (CommitReader reader = new CommitReader(store)) {
            for (int vanished = 0; ; ) {
                try {
                    Span span = span(store, hostId, at, reader, load, detour);
                    if (span.past != null) {
                        return load.past(span.past);
                    }
                    HostState state = chosen(hostId, span, reader, load);
                    load.settle();
                    detour.requireReached(store, state.seq());
                    return state;
                } catch (NoSuchBlobException e) {
                    // a compaction removed it after it was listed; a later one was there before
                    if (++vanished == MAX_ATTEMPTS) {
                        throw new CorruptArchiveException(e.key(), "it vanished while the log was read");
                    }
                } catch (CorruptArchiveException | CompactedHistoryException e) {
                    detour.around(e, load);
                } catch (EncryptedException e) {
                    detour.around(KeyCheck.ofObject(store, hostId, e), load);
                }
                CachingStore.forget(store, ArchiveLayout.host(hostId));
                load.restart();
            }
        }
    }

    private static HostState chosen(String hostId, Span span, CommitReader reader, StateLoad load) throws IOException {
        try {
            return load.chosen(state(hostId, span, reader, load));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static HostState state(String hostId, Span span, CommitReader reader, StateLoad load) throws IOException {
        HostState state = load.begin(
                span.checkpoint,
                span.tables,
                span.commits,
                reader); // held by nothing else: what a load lays out can be collected
        long begun = state.seq();
        span.commits.removeIf(seq -> seq <= begun);
        for (CommitHeader known = known(span, load); known != null; known = known(span, load)) {
            state.apply(known.object(), known);
            span.commits.removeFirst();
        }
        List<CommitHeader> last = load.takesRepeats() ? lastOf(hostId, span.commits, reader) : List.<CommitHeader>of();
        state = all(hostId, state, span.commits, reader, load, last.isEmpty());
        for (int i = 0; i < last.size(); i++) {
            CommitHeader commit = last.get(i);
            for (LogRecord.Repeated each : Repeats.of(commit)) {
                if (each.seq() > state.seq()) {
                    state.apply(commit.object(), each);
                }
            }
            state.apply(commit.object(), commit);
            state = load.applied(state, i == last.size() - 1);
            load.tellFreed();
        }
        return state;
    }

    private static HostState all(
            String hostId, HostState before, List<Long> commits, CommitReader reader, StateLoad load, boolean isLast)
            throws IOException {
        HostState state = before;
        CommitList.expect(hostId, commits, reader);
        for (int i = 0; i < commits.size(); i++) {
            CommitHeader commit = CommitList.commit(hostId, commits.get(i), reader);
            state.apply(commit.object(), commit);
            state = load.applied(state, isLast && i == commits.size() - 1);
            load.tellFreed();
        }
        return state;
    }

    private static @Nullable CommitHeader known(Span span, StateLoad load) {
        return span.commits.isEmpty() ? null : load.known(span.commits.getFirst());
    }

    /** Reads the last commits from behind, and takes out of the list what is known by them. */
    static List<CommitHeader> lastOf(String hostId, List<Long> commits, CommitReader reader) throws IOException {
        try {
            List<CommitHeader> last = Repeats.read(hostId, commits, reader);
            if (!last.isEmpty()) {
                CommitHeader first = last.getFirst();
                long known = first.seq() - Repeats.of(first).size();
                commits.removeIf(seq -> seq >= known);
            }
            return last;
        } catch (NoSuchBlobException e) {
            throw new CorruptArchiveException(e.key(), "it vanished while the log was read");
        }
    }

    /**
     * Loads the state one checkpoint holds.
     *
     * @throws CorruptArchiveException when it is damaged
     * @throws NoSuchBlobException when it does not exist
     */
    public static HostState load(
            BlobStore store, String hostId, CheckpointId checkpoint, ExtentFilter filter, RunListener listener)
            throws IOException {
        HostState state = new HostState(filter, listener);
        TableMerge.restore(store, hostId, Tables.none(checkpoint), true, state);
        return state;
    }

    /**
     * Loads the state one checkpoint holds, as above, with all extents. That of a large host stays in a local copy,
     * which is checked as a whole; the listener hears what is applied to it later.
     */
    public static HostState load(
            BlobStore store, String hostId, CheckpointId checkpoint, LocalTables tables, RunListener listener)
            throws IOException {
        StateTable table = tables.ofLarge(store, hostId, Tables.none(checkpoint));
        tables.settle(hostId, table);
        return table == null
                ? load(store, hostId, checkpoint, ExtentFilter.ALL, listener)
                : new HostState(table, listener);
    }

    /**
     * Loads some versions of one checkpoint, which are looked up in it, and those that their bytes were copied from.
     * Loads all, as above, where they cannot be looked up.
     */
    public static HostState load(
            BlobStore store, String hostId, CheckpointId checkpoint, LocalTables tables, Set<Long> versionIds)
            throws IOException {
        try (TableStack stack = TableStack.open(store, hostId, Tables.none(checkpoint))) {
            NameChoice chosen = NameChoice.of(versionIds);
            return HostPart.of(new HostState(stack), chosen, ExtentFilter.ALL, Integer.MAX_VALUE);
        } catch (LargeHostException e) { // the index is too large
            return load(store, hostId, checkpoint, tables, RunListener.NONE);
        }
    }

    /** Fetches the commit that follows a state; null when there is none, or a compaction removed it. One request. */
    public static @Nullable CommitHeader next(CommitReader reader, String hostId, HostState state) throws IOException {
        try {
            return reader.read(ArchiveLayout.commit(hostId, state.seq() + 1));
        } catch (NoSuchBlobException e) {
            return null;
        }
    }

    /**
     * Returns the commit of the newest checkpoint when no commit follows it; -1 when one does, or there is none. Two
     * lists, and a look behind them where they may lag.
     */
    public static long compactedTo(BlobStore store, String hostId) throws IOException {
        CheckpointId checkpoint = Checkpoints.newest(store, hostId);
        if (checkpoint == null) {
            return -1;
        }
        return CommitList.isEmpty(store, hostId, checkpoint.seq()) ? checkpoint.seq() : -1;
    }

    /**
     * Reads a history or a table to the end.
     *
     * @throws CorruptArchiveException when it is damaged
     */
    public static void check(BlobStore store, String key) throws IOException {
        int kind = ArchiveLayout.baseOf(key) == null ? FixedHeader.HISTORY : FixedHeader.TABLE;
        try (CheckpointReader in = new CheckpointReader(store, key, kind)) {
            LogRecord record = in.next();
            while (record != null) {
                record = in.next();
            }
        }
    }

    /**
     * Reads a checkpoint to the end, as a reader does that looks something up in it.
     *
     * @throws CorruptArchiveException when its seek table or its index is not right
     */
    public static void checkIndex(BlobStore store, String key) throws IOException {
        try (StateTable table = StateTable.open(store, key, 0)) {
            if (table != null) {
                table.check(() -> {});
            }
        }
    }

    /** Applies the commits that came since; returns whether there were any. One request when there were none. */
    public static boolean refresh(BlobStore store, String hostId, HostState state) throws IOException {
        if (!CommitList.holds(store, hostId, state.seq() + 1)) { // cheaper than a list
            return false;
        }
        CachingStore.forget(store, ArchiveLayout.host(hostId));
        List<Long> commits = CommitList.read(store, hostId, state.seq(), Long.MAX_VALUE);
        if (commits.isEmpty()) {
            return false;
        }
        Long missing = CommitList.missing(store, hostId, state.seq(), commits);
        if (missing != null) {
            throw CommitList.absent(hostId, missing);
        }
        try (CommitReader reader = new CommitReader(store)) {
            CommitList.expect(hostId, commits, reader);
            for (long seq : commits) {
                apply(hostId, state, seq, reader);
            }
        }
        return true;
    }

    /** The objects to read for a state.
     *
     * @param checkpoint where to begin; null for the first commit
     * @param tables what begins at the checkpoint; null when it is not looked at
     * @param before the commit of the checkpoint, or the one the tables lead to
     * @param commits those behind it
     * @param past the moment to show, if commits are not what shows it
     */
    private record Span(
            @Nullable CheckpointId checkpoint,
            @Nullable Tables tables,
            long before,
            List<Long> commits,
            History.@Nullable Found past) {
        /** Returns the one before the first commit. */
        static Span empty() {
            return new Span(null, null, 0, new ArrayList<>(), null);
        }

        static Span of(History.Found past) {
            return new Span(null, null, 0, new ArrayList<>(), past);
        }
    }

    private static Span span(
            BlobStore store, String hostId, PointInTime at, CommitReader reader, StateLoad load, Detour detour)
            throws IOException {
        NavigableSet<CheckpointId> checkpoints = detour.checkpoints(store);
        while (true) {
            long seq = at.timeMs() == Long.MAX_VALUE ? at.seq() : seqAt(store, hostId, at, checkpoints, reader);
            Span span = seq == TimeSearch.REMOVED ? null : untilSeq(store, hostId, seq, checkpoints, load);
            Long missing = span == null ? null : CommitList.missing(store, hostId, span.before, span.commits);
            if (span != null && missing == null) {
                return span;
            }
            // a compaction that removed commits made a checkpoint first, perhaps since the checkpoints were listed
            CachingStore.forget(store, ArchiveLayout.host(hostId));
            NavigableSet<CheckpointId> now = detour.checkpoints(store);
            if (now.equals(checkpoints)) {
                boolean compacted = span == null || (span.checkpoint == null && missing != null && missing == 1);
                if (!compacted || now.isEmpty()) {
                    throw CommitList.absent(hostId, missing == null ? CommitList.firstMissing(store, hostId) : missing);
                }
                return past(store, hostId, seq == TimeSearch.REMOVED ? at : new PointInTime(seq, at.timeMs()), now);
            }
            checkpoints = now;
        }
    }

    /** Finds a moment whose commits are gone: in a history, else the moment of a checkpoint. */
    private static Span past(BlobStore store, String hostId, PointInTime at, NavigableSet<CheckpointId> checkpoints)
            throws IOException {
        History.Found found = History.find(store, hostId, at);
        if (found != null) {
            return found.moment().seq() == 0 ? Span.empty() : Span.of(found);
        }
        for (CheckpointId checkpoint : checkpoints.descendingSet()) {
            if (checkpoint.seq() <= at.seq()
                    && Checkpoint.header(store, hostId, checkpoint).timeMs() <= at.timeMs()) {
                return new Span(checkpoint, null, checkpoint.seq(), new ArrayList<>(), null);
            }
        }
        throw new CompactedHistoryException(
                Checkpoint.header(store, hostId, checkpoints.first()).timeMs());
    }

    /** Returns null when the moment lies before what compaction has left. */
    private static @Nullable Span untilSeq(
            BlobStore store, String hostId, long seq, NavigableSet<CheckpointId> checkpoints, StateLoad load)
            throws IOException {
        if (seq <= 0) {
            return Span.empty();
        }
        CheckpointId checkpoint = newest(checkpoints, seq);
        Tables tables = load.tables(checkpoint, seq);
        long base = checkpoint == null ? 0 : checkpoint.seq();
        long before = tables == null ? base : tables.reached();
        List<Long> commits = new ArrayList<>();
        long reached = before;
        while (reached < seq && load.known(reached + 1) != null) {
            reached++;
            commits.add(reached);
        }
        commits.addAll(CommitList.read(store, hostId, reached, seq));
        boolean first = commits.isEmpty() || commits.getFirst() > before + 1;
        if (checkpoint == null && !checkpoints.isEmpty() && before == 0 && first) {
            return null;
        }
        return new Span(checkpoint, tables, before, commits, null);
    }

    /** Returns the last commit whose time is not after another; {@link TimeSearch#REMOVED} if that is gone. */
    private static long seqAt(
            BlobStore store, String hostId, PointInTime at, NavigableSet<CheckpointId> checkpoints, CommitReader reader)
            throws IOException {
        CheckpointId newest = newest(checkpoints, at.seq());
        long before = newest == null ? 0 : newest.seq();
        List<Long> commits = CommitList.read(store, hostId, before, at.seq());
        long end = commits.isEmpty() ? before : commits.getLast();
        try {
            long found = TimeSearch.last(hostId, end, at.timeMs(), reader);
            return found == TimeSearch.REMOVED ? amongRest(store, hostId, at, end, reader) : found;
        } catch (CorruptArchiveException e) { // its time is unknown, but that of the checkpoint before it is not
            if (newest != null && Checkpoint.header(store, hostId, newest).timeMs() > at.timeMs()) {
                return TimeSearch.REMOVED;
            }
            throw e;
        }
    }

    /** One before others that were removed counts unless a history tells later moments: it was put again. */
    private static long amongRest(BlobStore store, String hostId, PointInTime at, long end, CommitReader reader)
            throws IOException {
        long rest = TimeSearch.amongRest(store, hostId, end, at.timeMs(), reader);
        if (rest != TimeSearch.REMOVED) {
            try {
                History.Found kept = History.find(store, hostId, at);
                return kept != null && kept.moment().seq() > rest ? TimeSearch.REMOVED : rest;
            } catch (CompactedHistoryException e) {
                return rest; // histories begin later
            }
        }
        return rest;
    }

    private static @Nullable CheckpointId newest(NavigableSet<CheckpointId> checkpoints, long seq) {
        return checkpoints.floor(new CheckpointId(seq, Long.MAX_VALUE));
    }

    private static void apply(String hostId, HostState state, long seq, CommitReader reader) throws IOException {
        state.apply(ArchiveLayout.commit(hostId, seq), CommitList.commit(hostId, seq, reader));
    }
}
