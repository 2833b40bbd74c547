package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects, while commits are applied, what compaction keeps of them: everything but bytes, and the length of each
 * version once for each interval of time in which it grew. Confined to one thread.
 */
public final class HistoryWriter implements RunListener, AutoCloseable {
    private static final int BLOCK_BYTES = 256 << 10;

    /** Lengths of this many versions are written as a moment of their own, and leave the memory. */
    private static final int MAX_GROWN = 64 * 1024;

    /** Records, by where they are. */
    private record Block(long position, int bytes) {}

    private final long intervalMs;
    private final SpillFile spill;
    private final List<Block> blocks = new ArrayList<>();
    private final RecordWriter out = new RecordWriter();
    /** Lengths of versions that grew since the last moment written. */
    private final Map<Long, LogRecord.VersionLength> grown = new LinkedHashMap<>();

    private long grownSeq;
    private long grownMs;
    private long lastMs = Long.MAX_VALUE;
    private long firstSeq;
    private long earliestMs = Long.MAX_VALUE;

    /**
     * Begins.
     *
     * @param intervalMs within such an interval, in milliseconds, only the last lengths are kept; 1 or more
     * @param spill holds what is collected; closed with this writer
     */
    public HistoryWriter(long intervalMs, SpillFile spill) {
        this.intervalMs = intervalMs;
        this.spill = spill;
    }

    @Override
    public void applied(CommitHeader commit) throws CorruptArchiveException {
        if (firstSeq == 0) {
            firstSeq = commit.seq();
        }
        boolean sameInterval = Math.floorDiv(grownMs, intervalMs) == Math.floorDiv(commit.timeMs(), intervalMs);
        if (!grown.isEmpty() && !sameInterval) {
            writeGrown(grownSeq, grownMs);
        }
        boolean onlyGrew = onlyGrew(commit);
        if (!onlyGrew) {
            writeGrown(commit.seq(), commit.timeMs()); // grown before it, and so at this moment
        }
        RecordReader records = commit.recordReader();
        while (records.hasNext()) {
            switch (records.next()) {
                case LogRecord.Repeated said -> {}
                case LogRecord.ObjectDigest of -> {}
                case LogRecord.Extent extent -> {
                    long version = extent.versionId();
                    grown.put(version, new LogRecord.VersionLength(version, extent.end(), extent.mtimeNs()));
                }
                case LogRecord record -> {
                    writeGrown();
                    out.write(record);
                    if (out.length() >= BLOCK_BYTES) {
                        endBlock();
                    }
                }
            }
        }
        if (onlyGrew) {
            grownSeq = commit.seq();
            grownMs = commit.timeMs();
            // the clock went back: a moment that is left out would show older names
            if (grownMs < lastMs || grown.size() >= MAX_GROWN) {
                writeGrown(grownSeq, grownMs);
            }
        } else {
            writeGrown();
        }
        if (out.length() >= BLOCK_BYTES) {
            endBlock();
        }
    }

    @Override
    public void restart() {
        blocks.clear();
        out.reset();
        grown.clear();
        lastMs = Long.MAX_VALUE;
        firstSeq = 0;
        earliestMs = Long.MAX_VALUE;
    }

    private static boolean onlyGrew(CommitHeader commit) throws CorruptArchiveException {
        RecordReader records = commit.recordReader();
        while (records.hasNext()) {
            LogRecord record = records.next();
            if (!(record instanceof LogRecord.Extent || record instanceof LogRecord.Repeated)) {
                return false;
            }
        }
        return true;
    }

    private void writeGrown(long seq, long timeMs) {
        out.write(new LogRecord.Moment(seq, timeMs));
        earliestMs = Math.min(earliestMs, timeMs);
        lastMs = timeMs;
        writeGrown();
    }

    private void writeGrown() {
        grown.values().forEach(out::write);
        grown.clear();
    }

    private void endBlock() {
        blocks.add(new Block(spill.add(out.array(), out.length()), out.length()));
        out.reset();
    }

    /**
     * Puts what was collected into the store, and its mark, unless that is there; nothing when there were no commits.
     * Where no histories lead to the checkpoint before it, since one is lost or a repair made that checkpoint, it
     * begins with what was so then: otherwise its own moments could not be shown.
     *
     * @param state after the last commit
     * @return that checkpoint, where it begins with one: earlier moments are lost, except that of a checkpoint
     */
    public @Nullable CheckpointId write(BlobStore store, String hostId, HostState state) throws IOException {
        if (firstSeq == 0) {
            return null;
        }
        if (!grown.isEmpty()) {
            writeGrown(grownSeq, grownMs);
        }
        endBlock();
        long base = firstSeq - 1;
        CheckpointId begin = base == 0 || History.reaches(store, hostId, base)
                ? null
                : Checkpoints.counting(store, hostId).floor(new CheckpointId(base, Long.MAX_VALUE));
        long from = begin == null ? base : 0;
        if (begin != null) {
            earliestMs =
                    Math.min(earliestMs, Checkpoint.header(store, hostId, begin).timeMs());
        }
        String key = ArchiveLayout.history(hostId, new CommitSpan(from, state.seq()), earliestMs);
        if (store.exists(ArchiveLayout.historyMark(key)) && store.exists(key)) {
            return null;
        }
        store.delete(key); // without a mark it is what a compaction left that ended, or of somebody else
        Checkpoint.put(store, key, Checkpoint.header(state, FixedHeader.HISTORY), target -> {
            if (begin != null) {
                begin(store, hostId, begin, target);
            }
            for (Block block : blocks) {
                byte[] bytes = new byte[block.bytes()];
                spill.read(block.position(), bytes, bytes.length);
                RecordReader records = new RecordReader(key, bytes, 0, bytes.length);
                while (records.hasNext()) {
                    target.write(records.next());
                }
            }
        });
        store.putIfAbsent(ArchiveLayout.historyMark(key), MemorySegment.ofArray(new byte[0]));
        return begin;
    }

    private static void begin(BlobStore store, String hostId, CheckpointId checkpoint, RecordSink out)
            throws IOException {
        try (LocalTables tables = LocalTables.temporary()) {
            HostState then = HostLog.load(store, hostId, checkpoint, tables, RunListener.NONE);
            out.write(new LogRecord.Moment(then.seq(), then.timeMs()));
            Checkpoint.state(then, CheckpointContents.OF_MOMENT, out);
        }
    }

    @Override
    public void close() {
        spill.close();
    }
}
