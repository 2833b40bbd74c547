package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of earlier commits that a commit repeats. Commit number n repeats the s - 1 before it; s is the greatest
 * power of {@link #RADIX} up to {@link #LONGEST} that divides n. So a reader knows any thousand commits by reading a
 * dozen of them from the last one back. Each record is written about three times more, compressed beside its like. This
 * object is the writer's memory of them; confined to one thread at a time.
 */
public final class Repeats {
    /** The commits one repeats at most, with itself. */
    public static final int LONGEST = 256;

    private static final int RADIX = 4;

    /** A commit repeats no more bytes of records: it is meant for many small ones. */
    private static final int MAX_BYTES = 16 * 1024;

    /** The most bytes that are read from the last commit back before they are applied. */
    private static final int MAX_KEPT_BYTES = 16 << 20;

    /** This number of commits that should repeat others and do not shows that none here do. */
    private static final int MAX_SILENT = 2;

    private final ArrayDeque<LogRecord.Repeated> recent = new ArrayDeque<>();
    private int recentBytes;
    private LogRecord.@Nullable Repeated next;

    /** Makes the memory of a writer that has appended nothing yet. */
    Repeats() {}

    /** Writes into a commit that is about to be sealed what it repeats. */
    void into(RecordWriter records, long seq, long timeMs) {
        next = records.length() > RecordWriter.MAX_BLOCK_BYTES
                ? null
                : new LogRecord.Repeated(seq, timeMs, Arrays.copyOf(records.array(), records.length()));
        long first = seq - span(seq) + 1;
        for (LogRecord.Repeated each : recent) {
            if (each.seq() >= first) {
                records.write(each);
            }
        }
    }

    /** The commit was acknowledged. */
    void appended() {
        LogRecord.Repeated own = next;
        if (own == null) {
            recent.clear(); // what is repeated has no gaps
            recentBytes = 0;
            return;
        }
        recent.add(own);
        recentBytes += own.records().length;
        while (recent.size() >= LONGEST || recentBytes > MAX_BYTES) {
            recentBytes -= recent.remove().records().length;
        }
    }

    private static long span(long seq) {
        long span = 1;
        while (span < LONGEST && seq % (span * RADIX) == 0) {
            span *= RADIX;
        }
        return span;
    }

    /**
     * Reads the last commits of a log, from the last one back, without those that others repeat.
     *
     * @param seqs all that are wanted, ascending without gaps
     * @return in the order of the log; what is before the first is neither read nor repeated
     * @throws NoSuchBlobException when one is missing
     */
    public static List<CommitHeader> read(String hostId, List<Long> seqs, CommitReader reader) throws IOException {
        ArrayList<CommitHeader> read = new ArrayList<>();
        long bytes = 0;
        int silent = 0;
        long first = seqs.isEmpty() ? 1 : seqs.getFirst();
        long at = seqs.isEmpty() ? 0 : seqs.getLast();
        while (at >= first && bytes <= MAX_KEPT_BYTES && silent < MAX_SILENT) {
            CommitHeader commit = reader.read(ArchiveLayout.commit(hostId, at));
            List<LogRecord.Repeated> repeated = of(commit);
            silent += repeated.isEmpty() && at % RADIX == 0 ? 1 : 0;
            bytes += commit.records().length;
            read.add(commit);
            at -= repeated.size() + 1;
        }
        return read.reversed();
    }

    /**
     * Returns the commits that one repeats, in the order of the log: those just before it.
     *
     * @throws CorruptArchiveException when they are others
     */
    public static List<LogRecord.Repeated> of(CommitHeader commit) throws CorruptArchiveException {
        List<LogRecord.Repeated> repeated = new ArrayList<>();
        RecordReader records = commit.recordReader();
        while (records.hasNext()) {
            if (records.next() instanceof LogRecord.Repeated each) {
                repeated.add(each);
            } else if (!repeated.isEmpty()) {
                throw new CorruptArchiveException(commit.object(), "records of its own stand behind what it repeats");
            }
        }
        for (int i = 0; i < repeated.size(); i++) {
            if (repeated.get(i).seq() != commit.seq() - repeated.size() + i) {
                throw new CorruptArchiveException(commit.object(), "it repeats commits that are not just before it");
            }
        }
        return repeated;
    }

    /** Returns what a later commit may say of one: its own records. */
    public static LogRecord.Repeated sayable(CommitHeader commit) throws CorruptArchiveException {
        RecordReader records = commit.recordReader();
        int own = 0;
        while (records.hasNext() && !(records.next() instanceof LogRecord.Repeated)) {
            own = records.position();
        }
        return new LogRecord.Repeated(commit.seq(), commit.timeMs(), Arrays.copyOf(commit.records(), own));
    }
}
