package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.FileKey;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.Repeats;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Loads what is left of a host whose log is damaged: each commit that can be read is applied, as far as it can be
 * without those that cannot. Where no commit is left that has the bytes of a version, it says that they are lost
 * ({@link LogRecord.CopyRun#lost}). All other bytes are proven as everywhere: by the checksum of each piece when it is
 * read. Confined to one thread.
 */
public final class Salvage {
    /** No commits that are missing hold more of one file: a range that a hostile commit leaves out costs nothing. */
    private static final long MAX_LOST_BYTES = 1L << 40;

    /** How many commits may be missing at once whatever the clock says; more if each had a millisecond. */
    private static final long MAX_GAP = 1_000_000;

    private static final InodeAttributes UNKNOWN = new InodeAttributes(0600, 0, 0, 0);
    private static final Pathname NO_PATH = Pathname.of("");

    /** Hears what is lost. */
    @FunctionalInterface
    public interface Listener {
        /** An object, or a part of it, does not count: what is wrong with it, and what that means. */
        void lost(String object, String cause, String consequence);

        /** An object has the key of a commit, and is none of this log: nothing is lost without it. */
        default void stray(String object, String cause) {
            lost(object, cause, "it is left out: no commit of this log leads there");
        }

        /** A commit cannot be read: what others repeat of it comes next, of bytes that it alone may have held. */
        default void unreadable(long seq) {}
    }

    private final BlobStore store;
    private final String hostId;
    private final Supplier<StateLoad> loads;
    private final Listener listener;
    private final Listener losses;
    /** The commits that a list shows. */
    private final NavigableSet<Long> listed = new TreeSet<>();

    private HostState state = HostState.empty();
    private boolean follows = true;
    private boolean told;
    private long lastSeq;

    private Salvage(BlobStore store, String hostId, Supplier<StateLoad> loads, Listener losses) {
        this.store = store;
        this.hostId = hostId;
        this.loads = loads;
        listener = losses;
        this.losses = (object, cause, consequence) -> {
            told = true;
            losses.lost(object, cause, consequence);
        };
    }

    /**
     * Loads the state of a host. One that is not damaged is that of {@link HostLog#load}.
     *
     * @param at up to which moment
     * @param listener hears of every version and extent, and of lost ranges as of copies
     * @param losses hears what is lost
     * @throws IOException when the store does not answer
     */
    public static HostState load(
            BlobStore store, String hostId, PointInTime at, ExtentFilter filter, RunListener listener, Listener losses)
            throws IOException {
        Supplier<StateLoad> loads = () -> StateLoad.inMemory(store, hostId, filter, listener, false);
        return load(store, hostId, at, loads, losses, () -> HostLog.load(store, hostId, at, loads.get()));
    }

    /** Loads what is of no name and no version of the newest state of a host, as above; rows take the others. */
    public static HostState load(BlobStore store, String hostId, HostRows rows, Listener losses) throws IOException {
        Supplier<StateLoad> loads = () -> StateLoad.into(rows, store, hostId, RunListener.NONE);
        Whole whole = () -> HostLog.load(store, hostId, PointInTime.NOW, loads.get());
        return load(store, hostId, PointInTime.NOW, loads, losses, whole);
    }

    private static HostState load(
            BlobStore store, String hostId, PointInTime at, Supplier<StateLoad> loads, Listener losses, Whole whole)
            throws IOException {
        CorruptArchiveException refused = null;
        try {
            return whole.load();
        } catch (CorruptArchiveException e) {
            refused = e;
        } catch (CompactedHistoryException e) {
            // the salvage below says what is left
        } catch (StoreException e) {
            HostRegistry.requireDamage(store, e);
        }
        CachingStore.forget(store, ArchiveLayout.host(hostId));
        Salvage salvage = new Salvage(store, hostId, loads, losses);
        HostState left = salvage.load(at);
        if (refused != null && !salvage.told) { // nothing is lost of what no reader takes as it is
            losses.lost(refused.object(), refused.fault(), "it is taken as far as that makes sense");
        }
        return left;
    }

    /**
     * Loads the newest state of a host as above, with all extents. Most of a large one that is not damaged is in
     * tables; of one that is damaged all is in memory.
     *
     * @param tables keep the state until they release the host
     */
    public static HostState load(BlobStore store, String hostId, LocalTables tables, Listener losses)
            throws IOException {
        Whole whole = () -> HostLog.open(store, hostId, PointInTime.NOW, ExtentFilter.ALL, null, tables);
        Supplier<StateLoad> loads = () -> StateLoad.inMemory(store, hostId, ExtentFilter.ALL, RunListener.NONE, false);
        return load(store, hostId, PointInTime.NOW, loads, losses, whole);
    }

    /** Loads the state of a host that is not damaged. */
    private interface Whole {
        HostState load() throws IOException;
    }

    private HostState load(PointInTime at) throws IOException {
        List<Long> commits = CommitList.read(store, hostId, 0, at.seq());
        try (CommitReader reader = new CommitReader(store)) {
            long until = at.timeMs() == Long.MAX_VALUE ? at.seq() : lastBefore(at, commits, reader);
            state = begin(until, reader);
            long before = state.seq();
            lastSeq = Math.min(until, commits.isEmpty() ? 0 : commits.getLast());
            listed.addAll(commits);
            for (long seq : commits) {
                if (seq > before && seq <= until) {
                    commit(seq, reader);
                }
            }
        }
        LogRecord.IncarnationOpened last = state.lastIncarnation();
        if (last != null) {
            apply("", last, state.timeMs()); // nobody knows that it was closed with everything acknowledged
        }
        return state;
    }

    /** Returns the last commit that can be read and is not later, else 0: only checkpoints may know of it. */
    private long lastBefore(PointInTime at, List<Long> commits, CommitReader reader) throws IOException {
        for (long seq : commits.reversed()) {
            CommitHeader commit = read(seq, reader, false);
            if (commit != null && commit.timeMs() <= at.timeMs()) {
                return seq;
            }
        }
        CheckpointId found = null;
        for (CheckpointId id : Checkpoints.counting(store, hostId)) {
            try {
                found = Checkpoint.header(store, hostId, id).timeMs() <= at.timeMs() ? id : found;
            } catch (CorruptArchiveException e) {
                // reported when it is tried
            }
        }
        return found == null ? 0 : found.seq();
    }

    /** Loads the newest state that can be read as always. */
    private HostState begin(long until, CommitReader reader) throws IOException {
        long seq = until;
        while (seq > 0) {
            try {
                HostState whole = HostLog.load(store, hostId, PointInTime.seq(seq), restarted());
                if (!whole.isPast()) {
                    return whole;
                }
                break; // no commit can follow a state that only a history records
            } catch (CorruptArchiveException e) {
                long damaged = e.object().startsWith(ArchiveLayout.log(hostId))
                        ? ArchiveLayout.seqOf(e.object()).orElse(0)
                        : 0;
                seq = damaged > 0 && damaged <= seq ? damaged - 1 : 0;
            } catch (CompactedHistoryException e) {
                break;
            } catch (StoreException e) {
                HostRegistry.requireDamage(store, e);
                break;
            }
        }
        for (CheckpointId id : Checkpoints.counting(store, hostId).descendingSet()) {
            if (id.seq() <= until) {
                String key = ArchiveLayout.checkpoint(hostId, id);
                try {
                    return restarted().begin(id, null, List.of(), reader);
                } catch (CorruptArchiveException e) {
                    losses.lost(e.object(), e.fault(), "an older state is taken, and the commits behind it");
                } catch (StoreException e) {
                    HostRegistry.requireDamage(store, e);
                    losses.lost(key, "it cannot be read: " + e.getMessage(), "an older state is taken");
                } catch (NoSuchBlobException e) {
                    losses.lost(key, "it cannot be read: " + e.getMessage(), "an older state is taken");
                }
            }
        }
        return restarted().begun();
    }

    /** Nothing that was loaded before counts. */
    private StateLoad restarted() {
        StateLoad load = loads.get();
        load.restart();
        return load;
    }

    private void commit(long seq, CommitReader reader) throws IOException {
        long expected = state.seq() + 1;
        if (seq > expected) {
            String stray = stray(seq, reader);
            if (stray != null) {
                told = true;
                listener.stray(ArchiveLayout.commit(hostId, seq), stray);
                return;
            }
            String many = seq == expected + 1 ? "it is missing" : "it is missing, and all up to commit " + (seq - 1);
            losses.lost(ArchiveLayout.commit(hostId, expected), many, "what was committed by it is lost");
            follows = false;
            // a commit repeats only those just before it
            for (long missing = Math.max(expected, seq - Repeats.LONGEST); missing < seq; missing++) {
                applyRepeated(missing, reader);
            }
        }
        CommitHeader commit = read(seq, reader, true);
        if (commit != null && isForeign(commit, reader)) {
            listener.stray(commit.object(), "it is a commit of another log");
            losses.lost(
                    commit.object(),
                    "the commit of this log is not there",
                    "what was committed by it is lost, unless a later commit repeats it");
            commit = null;
        }
        if (commit == null) {
            follows = false;
            applyRepeated(seq, reader);
            skip(seq);
            return;
        }
        String key = commit.object();
        if (!isFollowing(commit)) {
            losses.lost(
                    key, "it does not follow commit " + (seq - 1), "the commits before it may have been others once");
        }
        try {
            apply(key, commit.recordReader(), seq, commit.timeMs());
        } catch (CorruptArchiveException e) {
            losses.lost(key, e.fault(), "what it says from there on is lost");
        }
        restored(seq, commit.timeMs(), commit.incarnation(), commit.chain());
        follows = true;
    }

    /** Says whether a commit names the one before as its predecessor; where that cannot be read nobody knows. */
    private boolean isFollowing(CommitHeader commit) {
        return !follows || Arrays.equals(commit.predecessor(), state.chain());
    }

    /**
     * Says whether a commit lies between commits of this log without being one: somebody put another one in its place.
     * The one before and the one behind deny it; behind the last one there is none, so its shipper must be known.
     */
    private boolean isForeign(CommitHeader commit, CommitReader reader) throws IOException {
        if (isFollowing(commit)) {
            return false;
        }
        long next = commit.seq() + 1;
        CommitHeader behind = next <= lastSeq && listed.contains(next) ? read(next, reader, false) : null;
        return behind != null
                ? !Arrays.equals(behind.predecessor(), commit.chain())
                : !Arrays.equals(commit.incarnation(), state.incarnation()) && !opensIncarnation(commit);
    }

    private static boolean opensIncarnation(CommitHeader commit) {
        try {
            for (RecordReader records = commit.recordReader(); records.hasNext(); ) {
                if (records.next() instanceof LogRecord.IncarnationOpened) {
                    return true;
                }
            }
        } catch (CorruptArchiveException e) {
            return false; // reported when it is applied
        }
        return false;
    }

    /**
     * Says why what stands behind a gap does not show that there were commits in it: anybody can give an object a
     * number. Returns null when it does.
     */
    private @Nullable String stray(long seq, CommitReader reader) throws IOException {
        String key = ArchiveLayout.commit(hostId, seq);
        CommitHeader commit;
        try {
            commit = reader.read(key);
        } catch (CorruptArchiveException e) {
            return e.fault();
        } catch (NoSuchBlobException e) {
            return "it vanished while it was read";
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            return "it cannot be read: " + e.getMessage();
        }
        if (commit.seq() != seq) {
            return "it says it is commit " + commit.seq();
        }
        long possible = MAX_GAP + Math.max(0, commit.timeMs() - state.timeMs());
        return seq - state.seq() <= possible
                ? null
                : "nobody makes as many commits as would be missing before it in the time between";
    }

    private void apply(String key, RecordReader records, long seq, long timeMs) throws CorruptArchiveException {
        while (records.hasNext()) {
            apply(key, HostState.inCommit(key, records.next(), seq), timeMs);
        }
    }

    /** Applies a commit that cannot be read as a later one repeats it; does nothing when none does. */
    private void applyRepeated(long lost, CommitReader reader) throws IOException {
        listener.unreadable(lost);
        for (long seq : listed.subSet(lost, false, lost + Repeats.LONGEST, false)) {
            if (seq > lastSeq) {
                return;
            }
            CommitHeader commit = read(seq, reader, false);
            if (commit == null) {
                continue;
            }
            for (LogRecord.Repeated each : repeatedBy(commit)) {
                if (each.seq() == lost) {
                    String key = commit.object();
                    try {
                        apply(
                                key,
                                new RecordReader(key, each.records(), 0, each.records().length),
                                lost,
                                each.timeMs());
                    } catch (CorruptArchiveException e) {
                        losses.lost(key, e.fault(), "what it repeats of commit " + lost + " is lost");
                    }
                    return;
                }
            }
        }
    }

    private static List<LogRecord.Repeated> repeatedBy(CommitHeader commit) {
        try {
            return Repeats.of(commit);
        } catch (CorruptArchiveException e) {
            return List.of(); // reported when it is applied itself
        }
    }

    private @Nullable CommitHeader read(long seq, CommitReader reader, boolean tells) throws IOException {
        String key = ArchiveLayout.commit(hostId, seq);
        String cause;
        try {
            CommitHeader commit = reader.read(key);
            if (commit.seq() == seq) {
                return commit;
            }
            cause = "it says it is commit " + commit.seq();
        } catch (CorruptArchiveException e) {
            cause = e.fault();
        } catch (NoSuchBlobException e) {
            cause = "it is missing";
        } catch (StoreException e) {
            HostRegistry.requireDamage(store, e);
            cause = "it cannot be read: " + e.getMessage();
        }
        if (tells) {
            losses.lost(key, cause, "what was committed by it is lost, unless a later commit repeats it");
        }
        return null;
    }

    private void skip(long seq) {
        restored(seq, state.timeMs(), state.incarnation(), new byte[FixedHeader.CHAIN_BYTES]);
    }

    /** Times may have gone back in what is lost, so a new row begins. */
    private void restored(long seq, long timeMs, byte[] incarnation, byte[] chain) {
        state.restored(FixedHeader.condensed(FixedHeader.CHECKPOINT, seq, seq, timeMs, incarnation, chain));
    }

    /** Applies a record after what it stands on and is lost was put in place. */
    private void apply(String key, LogRecord record, long timeMs) {
        try {
            switch (record) {
                case LogRecord.Extent r -> {
                    open(key, r.versionId(), timeMs);
                    fill(key, r, timeMs);
                }
                case LogRecord.NameAdded r when r.kind() == LogRecord.Kind.FILE -> open(key, r.versionId(), timeMs);
                default -> {}
            }
            state.apply(key, record, timeMs);
        } catch (CorruptArchiveException e) {
            losses.lost(key, e.fault(), "one record of it is lost");
        }
    }

    /** Opens a version whose beginning is lost: under no path, and by no identity of a file. */
    private void open(String key, long versionId, long timeMs) throws CorruptArchiveException {
        if (versionId > 0 && !LogRecord.CopyRun.isLost(versionId) && state.lengthBytes(versionId) < 0) {
            state.apply(
                    key,
                    new LogRecord.VersionOpened(versionId, new FileKey(0, 0, 0, 0), 0, 0, NO_PATH, UNKNOWN),
                    timeMs);
        }
    }

    private void fill(String key, LogRecord.Extent extent, long timeMs) throws CorruptArchiveException {
        long length = state.lengthBytes(extent.versionId());
        long known = length < 0 ? extent.start() : length;
        if (extent.start() > known) {
            if (extent.start() - known > MAX_LOST_BYTES) {
                throw new CorruptArchiveException(key, "it leaves out more bytes than are possible");
            }
            state.apply(key, LogRecord.CopyRun.lost(extent.versionId(), known, extent.start()), timeMs);
        }
    }
}
