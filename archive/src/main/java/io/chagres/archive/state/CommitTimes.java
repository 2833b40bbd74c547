package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.Repeats;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * When the bytes of some versions of a host were committed, by the clock of its commits: the earliest time at which
 * {@code --at} shows them. So times never go back from one byte of a version to the next, whatever the clock did. Holds
 * 16 bytes for each commit that has bytes of such a version. Immutable, safe for any thread.
 */
public final class CommitTimes {
    /** Nothing is known. */
    public static final CommitTimes NONE = new CommitTimes(Map.of());

    private static final int MAX_ATTEMPTS = 5;

    private final Map<Long, Steps> versions;

    private CommitTimes(Map<Long, Steps> versions) {
        this.versions = versions;
    }

    /** To what a version grew, and when: both ascend. */
    private static final class Steps {
        private long[] ends = new long[4];
        private long[] times = new long[4];
        private int count;
        private long start = Long.MAX_VALUE;

        /** Takes note of the first position that is known; the first time. */
        void begin(long position) {
            start = Math.min(start, position);
        }

        void add(long end, long timeMs) {
            if (count > 0 && end <= ends[count - 1]) {
                return; // known before
            }
            if (count == 0 || times[count - 1] != timeMs) {
                if (count == ends.length) {
                    ends = Arrays.copyOf(ends, count * 2);
                    times = Arrays.copyOf(times, count * 2);
                }
                times[count++] = timeMs;
            }
            ends[count - 1] = end;
        }

        /** The clock went back to a time: what was committed before is there at that time, too. */
        void lower(long timeMs) {
            for (int i = count - 1; i >= 0 && times[i] > timeMs; i--) {
                times[i] = timeMs;
            }
        }

        /** Replaces what is known from some position on. */
        void goOn(Steps later) {
            while (count > 1 && ends[count - 2] >= later.start) {
                count--;
            }
            if (count > 0) {
                ends[count - 1] = Math.min(ends[count - 1], later.start);
            }
            for (int i = 0; i < later.count; i++) {
                add(later.ends[i], later.times[i]);
            }
        }

        /** Returns the time of the first step that ends behind a position. */
        long timeMs(long position, long unknownMs) {
            int found = Arrays.binarySearch(ends, 0, count, position + 1);
            int step = found < 0 ? -found - 1 : found;
            return step < count ? times[step] : unknownMs;
        }
    }

    /**
     * Loads them from the commits that are there, and from histories where commits were removed: two lists, and a
     * request for each history and for each commit that no other one repeats.
     *
     * @param untilSeq the last commit that counts
     * @param versionIds the versions
     * @throws CorruptArchiveException when one is damaged
     */
    public static CommitTimes load(BlobStore store, String hostId, long untilSeq, Set<Long> versionIds)
            throws IOException {
        for (int vanished = 1; ; vanished++) {
            try {
                Growth recent = new Growth(versionIds);
                // before the histories: what is removed meanwhile was written into one first
                List<Long> seqs = CommitList.read(store, hostId, 0, untilSeq);
                List<CommitSpan> rows = CommitSpan.rows(seqs);
                boolean reaches = !rows.isEmpty() && rows.getLast().to() == untilSeq;
                long before = reaches ? rows.getLast().from() : untilSeq;
                commits(store, hostId, seqs, seq -> seq > before, recent);
                if (before == 0) {
                    return new CommitTimes(recent.versions);
                }
                Growth all = new Growth(versionIds);
                // a repair left earlier ones, or somebody put again what a history tells
                if (!rows.isEmpty() && rows.getFirst().to() <= before) {
                    long told = Math.min(before + 1, History.firstTold(store, hostId));
                    commits(store, hostId, seqs, seq -> seq < told, all);
                }
                histories(store, hostId, all);
                all.goOn(recent);
                return new CommitTimes(all.versions);
            } catch (NoSuchBlobException e) { // a compaction removed it
                if (vanished == MAX_ATTEMPTS) {
                    throw new CorruptArchiveException(e.key(), "it vanished while the log was read");
                }
            }
        }
    }

    private static void commits(BlobStore store, String hostId, List<Long> all, LongPredicate counts, Growth growth)
            throws IOException {
        List<Long> seqs = new ArrayList<>(all);
        seqs.removeIf(seq -> !counts.test(seq));
        try (CommitReader reader = new CommitReader(store)) {
            List<CommitHeader> last = HostLog.lastOf(hostId, seqs, reader);
            CommitList.expect(hostId, seqs, reader);
            for (long seq : seqs) {
                growth.add(reader.read(ArchiveLayout.commit(hostId, seq)));
            }
            for (CommitHeader commit : last) {
                for (LogRecord.Repeated each : Repeats.of(commit)) {
                    byte[] records = each.records();
                    growth.add(
                            each.seq(), each.timeMs(), new RecordReader(commit.object(), records, 0, records.length));
                }
                growth.add(commit);
            }
        }
    }

    private static void histories(BlobStore store, String hostId, Growth growth) throws IOException {
        for (BlobInfo info : BlobList.all(store, ArchiveLayout.history(hostId), null)) {
            CommitSpan span = ArchiveLayout.historyOf(info.key());
            if (span != null && span.to() > growth.reached) {
                try (CheckpointReader in = new CheckpointReader(store, info.key(), FixedHeader.HISTORY)) {
                    growth.add(in);
                }
            }
        }
    }

    /** The lengths that versions grew to, in the order of the log. */
    private static final class Growth {
        private final Map<Long, Steps> versions = new HashMap<>();
        private long reached;
        private long timeMs = Long.MIN_VALUE;
        private long leastMs = Long.MAX_VALUE;

        Growth(Set<Long> versionIds) {
            versionIds.forEach(id -> versions.put(id, new Steps()));
        }

        /** Adds a history; they may overlap: what was reached is skipped. */
        void add(CheckpointReader history) throws IOException {
            boolean isNew = false;
            for (LogRecord record = history.next(); record != null; record = history.next()) {
                if (record instanceof LogRecord.Moment moment) {
                    isNew = moment.seq() > reached;
                    if (isNew) {
                        begin(moment.seq(), moment.timeMs());
                    }
                } else if (isNew && record instanceof LogRecord.VersionLength grown) {
                    Steps steps = versions.get(grown.versionId());
                    if (steps != null) {
                        steps.add(grown.length(), timeMs);
                    }
                }
            }
        }

        void add(CommitHeader commit) throws CorruptArchiveException {
            add(commit.seq(), commit.timeMs(), commit.recordReader());
        }

        void add(long seq, long commitMs, RecordReader records) throws CorruptArchiveException {
            begin(seq, commitMs);
            while (records.hasNext()) {
                if (records.next() instanceof LogRecord.Extent extent) {
                    Steps steps = versions.get(extent.versionId());
                    if (steps != null) {
                        steps.begin(extent.start());
                        steps.add(extent.end(), timeMs);
                    }
                }
            }
        }

        private void begin(long seq, long commitMs) {
            reached = seq;
            if (commitMs < timeMs) {
                versions.values().forEach(each -> each.lower(commitMs));
            }
            timeMs = commitMs;
            leastMs = Math.min(leastMs, commitMs);
        }

        /** Continues with what is known better from some position of each version on. */
        void goOn(Growth later) {
            for (Map.Entry<Long, Steps> each : versions.entrySet()) {
                each.getValue().lower(later.leastMs);
                Steps steps = later.versions.get(each.getKey());
                if (steps != null) {
                    each.getValue().goOn(steps);
                }
            }
        }
    }

    /**
     * Returns when a byte was committed.
     *
     * @return milliseconds since 1970; where nothing is known the time the version changed last
     */
    public long timeMs(FileVersion version, long position) {
        Steps steps = versions.get(version.id());
        return steps == null ? version.changedMs() : steps.timeMs(position, version.changedMs());
    }
}
