package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads what compaction kept of moments whose commits it removed: names exactly, and how long each version was. The
 * newest checkpoint says where the bytes are, because a version only grows: its first bytes are those it had then.
 * Stateless.
 */
public final class History {
    /** A span of commits, and the object that holds what was so after them. */
    record Stored(String key, CommitSpan span, long earliestMs, long bytes, boolean isMarked) {}

    /**
     * A moment that can be shown.
     *
     * @param keys of the objects to apply up to it, in order
     * @param checkpoint says where the bytes are
     */
    record Found(LogRecord.Moment moment, List<String> keys, CheckpointId checkpoint) {}

    private History() {}

    /**
     * Returns the last moment up to another, in the order of the log; before the first commit that is the moment of seq
     * 0. Null when it is not kept, or not all before it is.
     */
    static @Nullable Found find(BlobStore store, String hostId, PointInTime at) throws IOException {
        List<Stored> listed = list(store, hostId);
        CheckpointId newest = listed.isEmpty() ? null : Checkpoints.newest(store, hostId);
        if (newest == null) {
            return null;
        }
        List<Stored> marked = marked(listed); // where marks are lost the others are better than none
        List<Stored> all = chain(marked, newest.seq()).isEmpty() ? listed : marked;
        for (Stored each : all.reversed()) {
            if (each.span().from() < at.seq() && each.earliestMs() <= at.timeMs()) {
                LogRecord.Moment moment = lastMoment(store, each.key(), at);
                if (moment != null && moment.seq() <= newest.seq()) {
                    return found(moment, all, newest);
                }
            }
        }
        List<Stored> chain = chain(all, newest.seq());
        if (chain.isEmpty()) {
            return null;
        }
        LogRecord.Moment first = firstMoment(store, chain.getFirst().key());
        if (first.seq() > 1) {
            throw new CompactedHistoryException(first.timeMs()); // what was before it is expired
        }
        return new Found(new LogRecord.Moment(0, 0), List.of(), newest);
    }

    /** Returns whether the moments of all commits up to one are kept. It lists objects and reads none. */
    static boolean reaches(BlobStore store, String hostId, long upTo) throws IOException {
        return gaps(store, hostId, new CommitSpan(0, upTo), false, List.of()).isEmpty();
    }

    /**
     * Returns the commits whose moments are not kept. It lists objects and reads none.
     *
     * @param within the commits that it looks at
     * @param onlyMarked whether only those histories count that have the mark of compaction
     * @param others the commits that are left out besides
     */
    public static List<CommitSpan> gaps(
            BlobStore store, String hostId, CommitSpan within, boolean onlyMarked, List<CommitSpan> others)
            throws IOException {
        List<Stored> all = list(store, hostId);
        List<CommitSpan> spans = new ArrayList<>(others);
        spans.addAll(spans(onlyMarked ? marked(all) : all));
        spans.sort(Comparator.comparingLong(CommitSpan::from));
        List<CommitSpan> gaps = new ArrayList<>();
        long reached = within.from();
        for (CommitSpan each : spans) {
            long begins = Math.min(each.from(), within.to());
            if (begins > reached) {
                gaps.add(new CommitSpan(reached, begins));
            }
            reached = Math.max(reached, each.to());
        }
        if (reached < within.to()) {
            gaps.add(new CommitSpan(reached, within.to()));
        }
        return gaps;
    }

    /**
     * Says whether compaction kept the moments of another log up to a commit than the one that has its number now.
     *
     * @param chain of the commit that has it
     */
    static boolean isOfAnother(BlobStore store, String hostId, long seq, byte[] chain) throws IOException {
        for (Stored each : marked(list(store, hostId))) {
            try {
                if (each.span().to() == seq
                        && !Arrays.equals(
                                Checkpoint.header(store, each.key(), FixedHeader.HISTORY)
                                        .chain(),
                                chain)) {
                    return true;
                }
            } catch (CorruptArchiveException | NoSuchBlobException e) {
                // it says nothing
            }
        }
        return false;
    }

    /** Returns the keys of marked histories that tell each moment up to a commit; none when they do not tell all. */
    public static List<String> keys(BlobStore store, String hostId, long seq) throws IOException {
        return keys(marked(list(store, hostId)), seq);
    }

    private static List<String> keys(List<Stored> all, long seq) {
        return chain(all, seq).stream().map(Stored::key).toList();
    }

    /** Returns those that compaction made: a shipper's rights suffice to put others, but no mark. */
    static List<Stored> marked(List<Stored> all) {
        return all.stream().filter(Stored::isMarked).toList();
    }

    private static List<CommitSpan> spans(List<Stored> all) {
        return all.stream().map(Stored::span).toList();
    }

    private static @Nullable Found found(LogRecord.Moment moment, List<Stored> all, CheckpointId newest) {
        List<String> keys = keys(all, moment.seq());
        return keys.isEmpty() ? null : new Found(moment, keys, newest);
    }

    /** Returns as few as cover all commits up to one, in order; none when they do not cover all. */
    static List<Stored> chain(List<Stored> all, long seq) {
        List<CommitSpan> spans = spans(all);
        List<CommitSpan> chain = Tables.chain(spans, 0, seq);
        return chain == null
                ? List.of()
                : chain.stream().map(span -> all.get(spans.indexOf(span))).toList();
    }

    /** Returns the first commit whose moment is kept; {@link Long#MAX_VALUE} for none. */
    static long firstTold(BlobStore store, String hostId) throws IOException {
        long first = Long.MAX_VALUE;
        for (Stored each : list(store, hostId)) {
            first = Math.min(first, firstMoment(store, each.key()).seq());
        }
        return first;
    }

    private static LogRecord.Moment firstMoment(BlobStore store, String key) throws IOException {
        try (CheckpointReader in = new CheckpointReader(store, key, FixedHeader.HISTORY)) {
            if (in.next() instanceof LogRecord.Moment moment) {
                return moment;
            }
        }
        throw new CorruptArchiveException(key, "it does not begin with a moment");
    }

    /** Returns what there is, in the order of the last commits. */
    static List<Stored> list(BlobStore store, String hostId) throws IOException {
        Set<String> marks = new HashSet<>();
        BlobList.all(store, ArchiveLayout.marks(hostId), null).forEach(mark -> marks.add(mark.key()));
        List<Stored> all = new ArrayList<>();
        for (BlobInfo info : BlobList.all(store, ArchiveLayout.history(hostId), null)) {
            CommitSpan span = ArchiveLayout.historyOf(info.key());
            if (span != null) {
                String key = info.key();
                boolean isMarked = marks.contains(ArchiveLayout.historyMark(key));
                all.add(new Stored(key, span, ArchiveLayout.earliestOf(key), info.lengthBytes(), isMarked));
            }
        }
        all.sort(Comparator.comparingLong(stored -> stored.span().to()));
        return all;
    }

    static LogRecord.@Nullable Moment lastMoment(BlobStore store, String key, PointInTime at) throws IOException {
        LogRecord.Moment last = null;
        try (CheckpointReader in = new CheckpointReader(store, key, FixedHeader.HISTORY)) {
            for (LogRecord record = in.next(); record != null; record = in.next()) {
                if (record instanceof LogRecord.Moment moment
                        && moment.seq() <= at.seq()
                        && moment.timeMs() <= at.timeMs()) {
                    last = moment;
                }
            }
        }
        return last;
    }

    /**
     * Puts names and lengths of a moment together.
     *
     * @param before the state before the first commit
     * @param relief is asked after each record
     * @return what stands for the state now
     */
    static HostState replay(BlobStore store, Found found, HostState before, Checkpoint.Relief relief)
            throws IOException {
        HostState state = before;
        for (String key : found.keys()) {
            state = replay(store, key, found.moment().seq(), state, relief);
        }
        if (state.seq() < found.moment().seq()) { // a history of many begins behind it
            throw new CompactedHistoryException(
                    firstMoment(store, found.keys().getFirst()).timeMs());
        }
        return state;
    }

    /**
     * Returns a key for a copy of a history whose end is damaged; null where another that is whole covers the same.
     * Its earliest time is a little less than it says: nothing else of the key may differ.
     *
     * @param damaged the keys of those that are not whole
     */
    public static @Nullable String keyOfCopy(BlobStore store, String hostId, String key, Set<String> damaged)
            throws IOException {
        CommitSpan span = ArchiveLayout.historyOf(key);
        if (span == null) {
            return null;
        }
        boolean isMarked = store.exists(ArchiveLayout.historyMark(key));
        for (Stored each : list(store, hostId)) {
            if (each.span().equals(span) && (each.isMarked() || !isMarked) && !damaged.contains(each.key())) {
                return null;
            }
        }
        long earliestMs = ArchiveLayout.earliestOf(key);
        String copy = key;
        while (store.exists(copy)) {
            earliestMs--;
            copy = ArchiveLayout.history(hostId, span, earliestMs);
        }
        return copy;
    }

    /**
     * Writes what a history says under another key, and then its mark, if the history has one.
     *
     * @param writing encrypts as the host does
     */
    public static void copy(BlobStore store, BlobStore writing, String key, String target) throws IOException {
        try (CheckpointReader in = new CheckpointReader(store, key, FixedHeader.HISTORY)) {
            Checkpoint.put(writing, target, in.header(), out -> {
                for (LogRecord record = in.next(); record != null; record = in.next()) {
                    out.write(record);
                }
            });
        }
        if (store.exists(ArchiveLayout.historyMark(key))) {
            store.putIfAbsent(ArchiveLayout.historyMark(target), MemorySegment.ofArray(new byte[0]));
        }
    }

    /** Applies what an object says about moments up to a commit. */
    static HostState replay(BlobStore store, String key, long untilSeq, HostState before, Checkpoint.Relief relief)
            throws IOException {
        HostState state = before;
        try (CheckpointReader in = new CheckpointReader(store, key, FixedHeader.HISTORY)) {
            boolean applies = false;
            for (LogRecord record = in.next(); record != null; record = in.next()) {
                if (record instanceof LogRecord.Moment moment) {
                    if (moment.seq() > untilSeq) {
                        return state;
                    }
                    applies = moment.seq() > state.seq();
                }
                if (applies) {
                    state.apply(key, record, state.timeMs());
                }
                state = relief.of(state);
            }
        }
        return state;
    }
}
