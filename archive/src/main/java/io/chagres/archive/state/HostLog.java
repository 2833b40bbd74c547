package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Loads what the log of a host adds up to: a checkpoint and the commits after it. Stateless, safe for any thread. */
public final class HostLog {
    private static final int MAX_ATTEMPTS = 5;

    private HostLog() {}

    /**
     * Loads the state of a host; that before the first commit when there is none.
     *
     * @param at up to which moment
     * @param filter of which versions the extents are kept
     * @param listener hears of every version and extent
     * @throws CorruptArchiveException naming the object that is damaged or missing
     */
    public static HostState load(
            BlobStore store, String hostId, PointInTime at, ExtentFilter filter, RunListener listener)
            throws IOException {
        return load(
                store,
                hostId,
                at,
                (checkpoint, commits, reader) -> restored(store, hostId, checkpoint, filter, listener));
    }

    /**
     * Loads the state of a host with all extents; of a large host most of it stays in local files. It does not say
     * which compressed files hold a version's content.
     *
     * @param at up to which moment
     * @param catalogs where those files are
     * @throws CorruptArchiveException naming the object that is damaged or missing
     */
    public static HostState load(BlobStore store, String hostId, PointInTime at, Catalogs catalogs) throws IOException {
        CataloguedLoad load = new CataloguedLoad(catalogs, store, hostId, at.equals(PointInTime.NOW));
        HostState state = null;
        try {
            state = load(store, hostId, at, load);
            load.end();
            return state;
        } finally {
            catalogs.settle(hostId, state == null ? null : state.catalog());
        }
    }

    /** Says how a state is kept while it is loaded. */
    @FunctionalInterface
    interface Load {
        /**
         * Makes the state of a checkpoint, or the one before the first commit, or one after some of the commits.
         *
         * @param commits those after the checkpoint that are to be applied
         */
        HostState begin(@Nullable CheckpointId checkpoint, List<Long> commits, CommitReader reader) throws IOException;

        /** Returns what stands for the state from now on; after each commit. */
        default HostState applied(HostState state, boolean isLast) throws IOException {
            return state;
        }
    }

    private static HostState load(BlobStore store, String hostId, PointInTime at, Load load) throws IOException {
        try (CommitReader reader = new CommitReader(store)) {
            for (int attempt = 1; ; attempt++) {
                Span span = span(store, hostId, at, reader);
                HostState state; // held by nothing else, so that what a load lays out can be collected
                try {
                    state = load.begin(span.checkpoint, span.commits, reader);
                } catch (NoSuchBlobException e) {
                    // a compaction removed it after it was listed; a later one was there before
                    if (attempt == MAX_ATTEMPTS) {
                        throw new CorruptArchiveException(e.key(), "it vanished while the log was read");
                    }
                    continue;
                }
                long begun = state.seq();
                span.commits.removeIf(seq -> seq <= begun);
                expect(hostId, span.commits, reader);
                for (int i = 0; i < span.commits.size(); i++) {
                    apply(hostId, state, span.commits.get(i), reader);
                    state = load.applied(state, i == span.commits.size() - 1);
                }
                return state;
            }
        }
    }

    static HostState restored(
            BlobStore store,
            String hostId,
            @Nullable CheckpointId checkpoint,
            ExtentFilter filter,
            RunListener listener)
            throws IOException {
        HostState state = new HostState(filter, listener);
        try {
            if (checkpoint != null) {
                Checkpoint.restore(store, hostId, checkpoint, state);
            }
            return state;
        } catch (NoSuchBlobException e) {
            boolean begun = state.lastIncarnation() != null || !state.versions().isEmpty();
            if (begun) { // the listener heard of it
                throw new CorruptArchiveException(e.key(), "it vanished while the log was read");
            }
            throw e;
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
        Checkpoint.restore(store, hostId, checkpoint, state);
        return state;
    }

    /**
     * Fetches the commit that follows a state; null when there is none, or none any more because a compaction removed
     * it. One request.
     */
    public static @Nullable CommitHeader next(CommitReader reader, String hostId, HostState state) throws IOException {
        try {
            return reader.read(ArchiveLayout.commit(hostId, state.seq() + 1));
        } catch (NoSuchBlobException e) {
            return null;
        }
    }

    /** Returns the newest checkpoint of a host; null when there is none. One list. */
    public static @Nullable CheckpointId newestCheckpoint(BlobStore store, String hostId) throws IOException {
        NavigableSet<CheckpointId> all = checkpoints(store, hostId);
        return all.isEmpty() ? null : all.last();
    }

    /** Applies the commits that came since; returns whether there were any. One request when there were none. */
    public static boolean refresh(BlobStore store, String hostId, HostState state) throws IOException {
        if (store.size(ArchiveLayout.commit(hostId, state.seq() + 1)) < 0) { // cheaper than a list
            return false;
        }
        List<Long> commits = commits(store, hostId, state.seq());
        if (commits.isEmpty()) {
            return false;
        }
        Long missing = missing(store, hostId, state.seq(), commits);
        if (missing != null) {
            throw absent(hostId, missing);
        }
        try (CommitReader reader = new CommitReader(store)) {
            expect(hostId, commits, reader);
            for (long seq : commits) {
                apply(hostId, state, seq, reader);
            }
        }
        return true;
    }

    /** Returns the checkpoints of a host as a listing shows them, from old to new. */
    public static NavigableSet<CheckpointId> checkpoints(BlobStore store, String hostId) throws IOException {
        NavigableSet<CheckpointId> checkpoints = new TreeSet<>();
        for (BlobInfo info : store.list(ArchiveLayout.checkpoints(hostId), null)) {
            CheckpointId id = ArchiveLayout.checkpointOf(info.key());
            if (id != null) {
                checkpoints.add(id);
            }
        }
        return checkpoints;
    }

    /** A checkpoint, or null, and the commits to apply to it. */
    private record Span(@Nullable CheckpointId checkpoint, List<Long> commits) {
        long before() {
            return checkpoint == null ? 0 : checkpoint.seq();
        }
    }

    private static Span span(BlobStore store, String hostId, PointInTime at, CommitReader reader) throws IOException {
        NavigableSet<CheckpointId> checkpoints = checkpoints(store, hostId);
        while (true) {
            Span span = at.timeMs() == Long.MAX_VALUE
                    ? untilSeq(store, hostId, at.seq(), checkpoints)
                    : untilTime(store, hostId, at, checkpoints, reader);
            Long missing = span == null ? null : missing(store, hostId, span.before(), span.commits);
            if (span != null && missing == null) {
                return span;
            }
            // a compaction that removed commits made a checkpoint first, perhaps since the checkpoints were listed
            NavigableSet<CheckpointId> now = checkpoints(store, hostId);
            if (now.equals(checkpoints)) {
                boolean compacted = span == null || span.checkpoint == null && missing != null && missing == 1;
                throw compacted && !now.isEmpty()
                        ? new CompactedHistoryException(Checkpoint.timeMs(store, hostId, now.first()))
                        : absent(hostId, missing == null ? 1 : missing);
            }
            checkpoints = now;
        }
    }

    /** Returns null when the moment lies before what compaction has left. */
    private static @Nullable Span untilSeq(
            BlobStore store, String hostId, long seq, NavigableSet<CheckpointId> checkpoints) throws IOException {
        CheckpointId checkpoint = newest(checkpoints, seq);
        List<Long> commits = commits(store, hostId, checkpoint == null ? 0 : checkpoint.seq());
        boolean first = commits.isEmpty() || commits.getFirst() > 1;
        if (checkpoint == null && !checkpoints.isEmpty() && first && seq > 0) {
            return null;
        }
        commits.removeIf(each -> each > seq);
        return new Span(checkpoint, commits);
    }

    /**
     * Finds the last commit cut at or before a time, by halving: wall clocks go forward but for rare jumps, and reading
     * every header would be a request each. Returns null when the time lies before what compaction has left, or
     * the first commit is lost.
     */
    private static @Nullable Span untilTime(
            BlobStore store, String hostId, PointInTime at, NavigableSet<CheckpointId> checkpoints, CommitReader reader)
            throws IOException {
        List<Long> commits = commits(store, hostId, 0);
        commits.removeIf(each -> each > at.seq());
        int low = 0;
        int high = commits.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (read(hostId, commits.get(middle), reader).timeMs() <= at.timeMs()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > 0) {
            CheckpointId checkpoint = newest(checkpoints, commits.get(low - 1));
            long before = checkpoint == null ? 0 : checkpoint.seq();
            return new Span(
                    checkpoint,
                    new ArrayList<>(commits.subList(0, low).stream()
                            .filter(each -> each > before)
                            .toList()));
        }
        for (CheckpointId checkpoint : checkpoints.descendingSet()) {
            if (checkpoint.seq() <= at.seq() && Checkpoint.timeMs(store, hostId, checkpoint) <= at.timeMs()) {
                return new Span(checkpoint, new ArrayList<>());
            }
        }
        boolean begins = commits.isEmpty()
                ? checkpoints.isEmpty()
                : commits.getFirst() == 1 || store.size(ArchiveLayout.commit(hostId, 1)) >= 0;
        return begins ? new Span(null, new ArrayList<>()) : null;
    }

    private static @Nullable CheckpointId newest(NavigableSet<CheckpointId> checkpoints, long seq) {
        return checkpoints.floor(new CheckpointId(seq, Long.MAX_VALUE));
    }

    private static List<Long> commits(BlobStore store, String hostId, long afterSeq) throws IOException {
        String afterKey = afterSeq == 0 ? null : ArchiveLayout.commit(hostId, afterSeq);
        List<Long> seqs = new ArrayList<>();
        for (BlobInfo info : store.list(ArchiveLayout.log(hostId), afterKey)) {
            OptionalLong seq = ArchiveLayout.seqOf(info.key());
            if (seq.isPresent() && seq.getAsLong() > 0) {
                seqs.add(seq.getAsLong());
            }
        }
        // a listing that lags may not show the last ones
        long next = (seqs.isEmpty() ? afterSeq : seqs.getLast()) + 1;
        while (store.size(ArchiveLayout.commit(hostId, next)) >= 0) {
            seqs.add(next);
            next++;
        }
        return seqs;
    }

    /** Returns the first commit that is not there; a listing that lags may just not show it. */
    private static @Nullable Long missing(BlobStore store, String hostId, long before, List<Long> commits)
            throws IOException {
        for (int i = 0; i < commits.size(); i++) {
            long expected = before + 1 + i;
            if (commits.get(i) != expected) {
                if (store.size(ArchiveLayout.commit(hostId, expected)) < 0) {
                    return expected;
                }
                commits.add(i, expected);
            }
        }
        return null;
    }

    private static CorruptArchiveException absent(String hostId, long seq) {
        return new CorruptArchiveException(
                ArchiveLayout.commit(hostId, seq), "it is missing, though later commits exist");
    }

    private static void expect(String hostId, List<Long> commits, CommitReader reader) {
        reader.expect(
                commits.stream().map(seq -> ArchiveLayout.commit(hostId, seq)).toList());
    }

    private static void apply(String hostId, HostState state, long seq, CommitReader reader) throws IOException {
        state.apply(ArchiveLayout.commit(hostId, seq), read(hostId, seq, reader));
    }

    static CommitHeader read(String hostId, long seq, CommitReader reader) throws IOException {
        String key = ArchiveLayout.commit(hostId, seq);
        try {
            return reader.read(key);
        } catch (NoSuchBlobException e) {
            throw new CorruptArchiveException(key, "it vanished while the log was read");
        }
    }
}
