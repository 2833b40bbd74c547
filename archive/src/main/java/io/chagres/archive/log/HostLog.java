package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Loads what the log of a host adds up to: a checkpoint and the commits after it. Stateless, safe for any thread. */
public final class HostLog {
    private HostLog() {}

    /**
     * Loads the state of a host; that before the first commit when there is none.
     *
     * @param at up to which moment
     * @param filter of which versions the extents are kept
     * @param listener hears of every version and extent
     * @throws CorruptArchiveException naming the object that is damaged or missing
     */
    public static HostState load(BlobStore store, String hostId, At at, ExtentFilter filter, RunListener listener)
            throws IOException {
        HostState state = new HostState(filter, listener);
        try (CommitReader reader = new CommitReader(store)) {
            Span span = span(store, hostId, at, reader);
            if (span.checkpoint > 0) {
                Checkpoint.restore(store, hostId, span.checkpoint, state);
            }
            apply(hostId, state, span.commits, reader);
        }
        return state;
    }

    /** Applies the commits that came since; returns whether there were any. One list when there were none. */
    public static boolean refresh(BlobStore store, String hostId, HostState state) throws IOException {
        List<Long> commits = commits(store, hostId, state.seq());
        if (commits.isEmpty()) {
            return false;
        }
        Long missing = missing(state.seq(), commits);
        if (missing != null) {
            throw absent(hostId, missing);
        }
        try (CommitReader reader = new CommitReader(store)) {
            apply(hostId, state, commits, reader);
        }
        return true;
    }

    /** A checkpoint, or 0, and the commits to apply to it. */
    private record Span(long checkpoint, List<Long> commits) {}

    private static Span span(BlobStore store, String hostId, At at, CommitReader reader) throws IOException {
        List<Long> checkpoints = seqs(store, ArchiveLayout.checkpoints(hostId), null);
        while (true) {
            Span span = at.timeMs() == Long.MAX_VALUE
                    ? untilSeq(store, hostId, at.seq(), checkpoints)
                    : untilTime(store, hostId, at, checkpoints, reader);
            Long missing = missing(span.checkpoint, span.commits);
            if (missing == null) {
                return span;
            }
            // a compaction that removed commits made a checkpoint first, perhaps since the checkpoints were listed
            List<Long> now = seqs(store, ArchiveLayout.checkpoints(hostId), null);
            if (now.equals(checkpoints)) {
                throw absent(hostId, missing);
            }
            checkpoints = now;
        }
    }

    private static Span untilSeq(BlobStore store, String hostId, long seq, List<Long> checkpoints) throws IOException {
        long checkpoint = newest(checkpoints, seq);
        List<Long> commits = commits(store, hostId, checkpoint);
        commits.removeIf(each -> each > seq);
        return new Span(checkpoint, commits);
    }

    /**
     * Finds the last commit cut at or before a time, by halving: wall clocks go forward but for rare jumps, and reading
     * every header would be a request each.
     */
    private static Span untilTime(BlobStore store, String hostId, At at, List<Long> checkpoints, CommitReader reader)
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
            long last = commits.get(low - 1);
            long checkpoint = newest(checkpoints, last);
            return new Span(
                    checkpoint,
                    new ArrayList<>(commits.subList(0, low).stream()
                            .filter(each -> each > checkpoint)
                            .toList()));
        }
        for (long checkpoint : checkpoints.reversed()) {
            if (checkpoint <= at.seq() && Checkpoint.timeMs(store, hostId, checkpoint) <= at.timeMs()) {
                return new Span(checkpoint, List.of());
            }
        }
        if (!checkpoints.isEmpty() && (commits.isEmpty() || commits.getFirst() > 1)) {
            long earliest = checkpoints.getFirst();
            throw new CompactedHistoryException(hostId, Checkpoint.timeMs(store, hostId, earliest));
        }
        return new Span(0, List.of());
    }

    private static long newest(List<Long> checkpoints, long seq) {
        long newest = 0;
        for (long checkpoint : checkpoints) {
            if (checkpoint <= seq) {
                newest = checkpoint;
            }
        }
        return newest;
    }

    private static List<Long> commits(BlobStore store, String hostId, long afterSeq) throws IOException {
        return seqs(store, ArchiveLayout.log(hostId), afterSeq == 0 ? null : ArchiveLayout.commit(hostId, afterSeq));
    }

    /** Returns the seqs of the keys below a prefix, in order; what has no seq is not ours. */
    private static List<Long> seqs(BlobStore store, String prefix, @Nullable String afterKey) throws IOException {
        List<Long> seqs = new ArrayList<>();
        for (BlobInfo info : store.list(prefix, afterKey)) {
            OptionalLong seq = ArchiveLayout.seqOf(info.key());
            if (seq.isPresent() && seq.getAsLong() > 0) {
                seqs.add(seq.getAsLong());
            }
        }
        return seqs;
    }

    private static @Nullable Long missing(long before, List<Long> commits) {
        long expected = before + 1;
        for (long seq : commits) {
            if (seq != expected) {
                return expected;
            }
            expected++;
        }
        return null;
    }

    private static CorruptArchiveException absent(String hostId, long seq) {
        return new CorruptArchiveException(
                ArchiveLayout.commit(hostId, seq), "it is missing, though later commits exist");
    }

    private static void apply(String hostId, HostState state, List<Long> commits, CommitReader reader)
            throws IOException {
        reader.expect(
                commits.stream().map(seq -> ArchiveLayout.commit(hostId, seq)).toList());
        for (long seq : commits) {
            state.apply(ArchiveLayout.commit(hostId, seq), read(hostId, seq, reader));
        }
    }

    private static CommitHeader read(String hostId, long seq, CommitReader reader) throws IOException {
        String key = ArchiveLayout.commit(hostId, seq);
        try {
            return reader.read(key);
        } catch (NoSuchBlobException e) {
            throw new CorruptArchiveException(key, "it vanished while the log was read");
        }
    }
}
