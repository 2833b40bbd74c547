package io.chagres.ship.commit;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.state.RunListener;
import java.util.HashMap;
import java.util.Map;

/**
 * Keeps the records of the commits behind the last table, within a bound, so that the next one need not ask the store
 * for them. Hears of them while a log is loaded, and of each that is acknowledged later. Confined to one thread.
 */
public final class RecentCommits implements RunListener {
    /** When there are more records, the store is asked for the older ones. */
    private static final long MAX_BYTES = 16 << 20;

    private final Map<Long, CommitHeader> kept = new HashMap<>();
    private long keptBytes;
    private long count;
    private long recordBytes;
    private long lastSeq;

    /** Keeps nothing yet. */
    public RecentCommits() {}

    @Override
    public void opened(LogRecord.VersionOpened opened) {}

    @Override
    public void extent(LogRecord.Extent extent) {}

    @Override
    public void applied(CommitHeader commit) {
        long bytes = commit.recordsLength();
        if (keptBytes + bytes > MAX_BYTES) {
            kept.clear();
            keptBytes = 0;
        }
        kept.put(commit.seq(), commit);
        keptBytes += bytes;
        recordBytes += bytes;
        count++;
        lastSeq = commit.seq();
    }

    @Override
    public void restart() {
        kept.clear();
        keptBytes = 0;
        count = 0;
        recordBytes = 0;
        lastSeq = 0;
    }

    /** Returns how many commits there are behind the last table. */
    public long count() {
        return count;
    }

    /** Returns how many bytes their records have. */
    public long recordBytes() {
        return recordBytes;
    }

    /** Returns the number of the last. */
    public long lastSeq() {
        return lastSeq;
    }

    /** Returns those that are kept, by number: a copy. */
    public Map<Long, CommitHeader> copy() {
        return new HashMap<>(kept);
    }

    /** Forgets the first commits: a table stands for them. */
    public void forget(long untilSeq, long commits, long bytes) {
        kept.keySet().removeIf(seq -> seq <= untilSeq);
        keptBytes = kept.values().stream()
                .mapToLong(commit -> commit.recordsLength())
                .sum();
        count -= commits;
        recordBytes -= bytes;
    }
}
