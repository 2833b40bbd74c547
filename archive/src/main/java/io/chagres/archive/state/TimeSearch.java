package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Finds in the log of a host the last commit whose time is not after a time, whatever its clock did. Each commit says
 * where the row of commits began whose times never go back: within a row it halves, from row to row it goes back.
 * Stateless.
 */
final class TimeSearch {
    /** All commits are later. */
    static final long BEFORE_ALL = 0;

    /** All commits that are there are later, and earlier ones were removed. */
    static final long REMOVED = -1;

    private static final long NONE = -2;

    private TimeSearch() {}

    /**
     * Returns the number of the commit, or one of the constants.
     *
     * @param end the last commit to look at
     */
    static long last(String hostId, long end, long timeMs, CommitReader reader) throws IOException {
        long high = end;
        while (high > 0) {
            CommitHeader commit = find(hostId, high, reader);
            if (commit == null) {
                return REMOVED; // from the first on
            }
            if (commit.timeMs() <= timeMs) {
                return high;
            }
            long found = within(hostId, commit.row(), high, timeMs, reader);
            if (found != NONE) {
                return found;
            }
            high = commit.row() - 1;
        }
        return BEFORE_ALL;
    }

    /**
     * Looks, where a commit that was removed was met, whether one before it is there: a compaction removes the first
     * ones, a repair a damaged one among the others. Returns its number, or {@link #REMOVED}.
     */
    static long amongRest(BlobStore store, String hostId, long end, long timeMs, CommitReader reader)
            throws IOException {
        BlobInfo first = BlobList.first(store, ArchiveLayout.log(hostId));
        long seq = first == null ? 0 : ArchiveLayout.namedCommit(first.key());
        CommitHeader begin = seq == 0 || seq > end ? null : find(hostId, seq, reader);
        if (begin == null || begin.timeMs() > timeMs) {
            return REMOVED;
        }
        for (long each : CommitList.read(store, hostId, seq, end).reversed()) {
            CommitHeader commit = find(hostId, each, reader);
            if (commit != null && commit.timeMs() <= timeMs) {
                return each;
            }
        }
        return seq;
    }

    /** Halves where times do not go back; a commit that was removed counts as early. */
    private static long within(String hostId, long first, long end, long timeMs, CommitReader reader)
            throws IOException {
        long low = first;
        long high = end;
        long found = NONE;
        while (low < high) {
            long middle = low + (high - low) / 2;
            CommitHeader commit = find(hostId, middle, reader);
            boolean isUnknown = commit != null && commit.seq() < first; // of an earlier row, which says nothing of this
            if (commit == null || isUnknown || commit.timeMs() <= timeMs) {
                found = commit == null ? REMOVED : middle;
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return found;
    }

    /**
     * Finds a commit. Nobody knows the time of a damaged one: the last that can be read before it stands for it, since
     * it is no later.
     *
     * @return null when it was removed
     * @throws CorruptArchiveException naming the damaged one when none before it is there
     */
    private static @Nullable CommitHeader find(String hostId, long seq, CommitReader reader) throws IOException {
        CorruptArchiveException damage = null;
        for (long each = seq; each > 0; each--) {
            try {
                return reader.read(ArchiveLayout.commit(hostId, each));
            } catch (NoSuchBlobException e) {
                break;
            } catch (CorruptArchiveException e) {
                damage = damage == null ? e : damage;
            }
        }
        if (damage != null) {
            throw damage;
        }
        return null;
    }
}
