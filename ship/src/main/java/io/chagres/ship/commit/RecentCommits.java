package io.chagres.ship.commit;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.state.RunListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Keeps the records of the commits behind the last table, within a bound, so that the next one need not ask the store
 * for them. Hears of them while a log is loaded, and of each that is acknowledged later. Confined to one thread.
 */
public final class RecentCommits implements RunListener {
    /** When there are more records, the store is asked for the older ones. */
    private static final long MAX_BYTES = 16 << 20;

    /** How many commits may have objects that the shipper before had not looked for when it ended. */
    private static final long MOST_LOOKED_FOR = 64;

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

    /**
     * Gives the data objects that the last commits refer to, as far as their records are kept.
     *
     * @param lookedFor the commit up to which nobody need look for them
     * @param looks takes a commit and its objects
     */
    public void objects(long lookedFor, BiConsumer<Long, List<LogRecord.ObjectRun>> looks)
            throws CorruptArchiveException {
        for (long seq = Math.max(lookedFor, lastSeq - MOST_LOOKED_FOR) + 1; seq <= lastSeq; seq++) {
            CommitHeader commit = kept.get(seq);
            List<LogRecord.ObjectRun> objects = new ArrayList<>();
            for (RecordReader records = commit == null ? null : commit.recordReader();
                    records != null && records.hasNext(); ) {
                if (records.next() instanceof LogRecord.ObjectRun run) {
                    objects.add(run);
                }
            }
            looks.accept(seq, objects);
        }
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
