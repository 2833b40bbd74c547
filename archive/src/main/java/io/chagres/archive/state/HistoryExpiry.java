package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes one history of all once retention expired the moments before a time. It begins with what was so at the last of
 * them, and leaves out versions that were gone by then or are not kept. Stateless.
 */
public final class HistoryExpiry {
    private HistoryExpiry() {}

    /**
     * Writes such a history and its mark, when it would leave out at least half of what there is.
     *
     * @param writing encrypts as the host does
     * @param state after the last commit that histories cover; keeps all extents
     * @param horizonMs moments before it are left out, by the clock of the commits
     * @param keeps says whether anything of a version is kept
     * @param tables where most of what was so then is, of a large host
     */
    public static void write(
            BlobStore store,
            BlobStore writing,
            String hostId,
            HostState state,
            long horizonMs,
            LongPredicate keeps,
            LocalTables tables)
            throws IOException {
        List<History.Stored> chain = History.chain(History.marked(History.list(store, hostId)), state.seq());
        LogRecord.Moment begin = isDue(chain, horizonMs) ? lastBefore(store, chain, state.seq(), horizonMs) : null;
        if (begin == null) {
            return;
        }
        HostState past = past(store, hostId, chain, begin.seq(), tables);
        Set<Long> gone = new HashSet<>();
        past.forEachNameless(version -> {
            FileVersion now = state.version(version.id());
            if (now == null || now.isOver()) { // others may continue without a name: somebody has the file open
                gone.add(version.id());
            }
        });
        gone.removeAll(copiedFrom(state));
        long[] earliestMs = {begin.timeMs()};
        forEachBehind(store, chain, begin.seq(), record -> {
            isKept(record, id -> !gone.remove(id)); // it was not gone for good
            if (record instanceof LogRecord.Moment moment) {
                earliestMs[0] = Math.min(earliestMs[0], moment.timeMs());
            }
        });
        LongPredicate told = id -> keeps.test(id) && !gone.contains(id);
        String key = ArchiveLayout.history(hostId, new CommitSpan(0, state.seq()), earliestMs[0]);
        long put = Checkpoint.put(writing, key, Checkpoint.header(state, FixedHeader.HISTORY), out -> {
            RecordSink kept = record -> {
                if (isKept(record, told)) {
                    out.write(record);
                }
            };
            out.write(begin);
            Checkpoint.state(past, CheckpointContents.OF_MOMENT, kept);
            forEachBehind(store, chain, begin.seq(), kept);
        });
        if (put >= 0) {
            store.putIfAbsent(ArchiveLayout.historyMark(key), MemorySegment.ofArray(new byte[0]));
        }
    }

    /** Returns names and lengths after a commit; of a large host most of that is in a table. */
    private static HostState past(
            BlobStore store, String hostId, List<History.Stored> chain, long seq, LocalTables tables)
            throws IOException {
        StateLoad load = StateLoad.over(tables, store, hostId, RunListener.NONE, true);
        HostState past = HostState.empty();
        for (History.Stored each : chain) {
            past = History.replay(store, each.key(), seq, past, load::withLengths);
        }
        load.end(past);
        return past;
    }

    /** A reader of a copy at some moment asks for the version that it is of. */
    private static Set<Long> copiedFrom(HostState state) {
        Set<Long> sources = new HashSet<>();
        for (FileVersion version : state.versions()) {
            for (LogRecord.Extent extent : Extents.of(version)) {
                if (extent instanceof LogRecord.CopyRun copy) {
                    sources.add(copy.sourceVersion());
                }
            }
        }
        return sources;
    }

    /** An object is expired when the next one begins before the horizon, and so holds the last moment before it. */
    private static boolean isDue(List<History.Stored> chain, long horizonMs) {
        long expiredBytes = 0;
        long restBytes = 0;
        for (int i = 0; i < chain.size(); i++) {
            boolean isExpired = i + 1 < chain.size() && chain.get(i + 1).earliestMs() <= horizonMs;
            expiredBytes += isExpired ? chain.get(i).bytes() : 0;
            restBytes += isExpired ? 0 : chain.get(i).bytes();
        }
        return expiredBytes > 0 && expiredBytes >= restBytes / 2;
    }

    private static LogRecord.@Nullable Moment lastBefore(
            BlobStore store, List<History.Stored> chain, long seq, long horizonMs) throws IOException {
        for (History.Stored each : chain.reversed()) {
            LogRecord.Moment last = History.lastMoment(store, each.key(), new PointInTime(seq, horizonMs));
            if (last != null) {
                return last;
            }
        }
        return null;
    }

    /** Visits the records of moments behind a commit, each of them once. */
    private static void forEachBehind(BlobStore store, List<History.Stored> chain, long seq, RecordSink visitor)
            throws IOException {
        long told = seq;
        for (History.Stored each : chain) {
            try (CheckpointReader in = new CheckpointReader(store, each.key(), FixedHeader.HISTORY)) {
                boolean isBehind = false;
                for (LogRecord record = in.next(); record != null; record = in.next()) {
                    if (record instanceof LogRecord.Moment moment) {
                        isBehind = moment.seq() > told;
                        told = Math.max(told, moment.seq());
                    }
                    if (isBehind) {
                        visitor.write(record);
                    }
                }
            }
        }
    }

    private static boolean isKept(LogRecord record, LongPredicate keeps) {
        return switch (record) {
            case LogRecord.NameAdded r -> r.kind() != LogRecord.Kind.FILE || keeps.test(r.versionId());
            case LogRecord.Derived r -> keeps.test(r.versionId()) && keeps.test(r.fromVersion());
            default -> {
                long id = TableIndex.versionOf(record);
                yield id == 0 || keeps.test(id);
            }
        };
    }
}
