package io.chagres.spark;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.find.RangeLines;
import io.chagres.archive.query.ArchiveReader;
import io.chagres.archive.query.Query;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;

/**
 * The lines that commits add, by what the logs of hosts say. A line counts when it has its end; the last one of a file
 * without a newline counts when nothing can follow it. Bytes that a file begins with as the copy of another were
 * reported as the other's. Keeps how far each host is between two questions. Confined to one thread.
 */
final class NewLines {
    private final Question question;
    private final Query query;
    private final Map<String, Long> newest = new HashMap<>();

    NewLines(Question question, RowFilter filter) {
        this.question = question;
        query = question.query(filter);
    }

    /** Returns where to begin: before everything, or where each host was at the time that is asked for. */
    FleetOffset first() throws IOException {
        Map<String, Long> seqs = new HashMap<>();
        Instant since = question.since();
        if (since != null) {
            PointInTime then = PointInTime.time(since.toEpochMilli());
            forEachHost((archive, host) -> seqs.put(
                    host.id(), state(archive, host, then, ExtentFilter.NONE).seq()));
        }
        return new FleetOffset(seqs);
    }

    /** Returns how far each host is. */
    FleetOffset latest() throws IOException {
        Map<String, Long> seqs = new HashMap<>();
        forEachHost((archive, host) -> {
            Long known = newest.get(host.id());
            if (known == null || hasMore(archive.store(), host.id(), known)) {
                known = state(archive, host, PointInTime.NOW, ExtentFilter.NONE).seq();
                newest.put(host.id(), known);
            }
            seqs.put(host.id(), known);
        });
        return new FleetOffset(seqs);
    }

    /** Says whether a host has a commit behind another, or had one that was compacted. */
    private static boolean hasMore(BlobStore store, String hostId, long seq) throws IOException {
        NavigableSet<CheckpointId> checkpoints = Checkpoints.counting(store, hostId);
        return (!checkpoints.isEmpty() && checkpoints.last().seq() > seq)
                || BlobList.all(store, ArchiveLayout.log(hostId), ArchiveLayout.commit(hostId, seq))
                        .iterator()
                        .hasNext();
    }

    /** Returns the tasks for what was added behind one offset, up to another. */
    List<Split> between(FleetOffset start, FleetOffset end) throws IOException {
        List<Split> splits = new ArrayList<>();
        forEachHost((archive, host) -> {
            long from = start.seq(host.id());
            long to = end.seq(host.id());
            if (to > from) {
                HostState before = after(archive, host, from, ExtentFilter.NONE);
                long first = before.nextVersionId(); // of new versions it is asked what they begin with
                HostState after = after(archive, host, to, ExtentFilter.of(id -> id >= first));
                splits.addAll(new Splits(host, question.splitBytes()).of(ranges(host, before, after)));
            }
        });
        return splits;
    }

    /** Does something for a host. */
    private interface HostStep {
        void run(ArchiveReader archive, HostRegistry.Owner host) throws IOException;
    }

    private void forEachHost(HostStep step) throws IOException {
        try (ArchiveReader archive = question.reader()) {
            for (HostRegistry.Owner host : archive.hosts(query)) {
                archive.attempt(host, () -> step.run(archive, host));
                archive.done(host);
            }
        }
    }

    /**
     * Returns how the files were after a commit. Of one that is compacted it is the last moment up to it that the
     * history keeps: for where a batch ends that is the same as for where the next one begins, so no line is left out.
     */
    private static HostState after(ArchiveReader archive, HostRegistry.Owner host, long seq, ExtentFilter extents)
            throws IOException {
        if (seq == 0) {
            return HostState.empty();
        }
        try {
            return state(archive, host, PointInTime.seq(seq), extents);
        } catch (CompactedHistoryException e) {
            throw new IOException(
                    "host " + host.name() + ": how its files were after commit " + seq
                            + ", where this query stopped, is"
                            + " not kept; begin with another checkpoint location and 'since'",
                    e);
        }
    }

    private static HostState state(ArchiveReader archive, HostRegistry.Owner host, PointInTime at, ExtentFilter extents)
            throws IOException {
        HostState state = archive.state(host, at, extents);
        requireBegun(archive, host, state);
        return state;
    }

    /** Refuses a state that is empty because the log is gone. */
    static void requireBegun(ArchiveReader archive, HostRegistry.Owner host, HostState state) throws IOException {
        CorruptArchiveException gap = state.seq() == 0 ? LogWitness.missing(archive.store(), host.id()) : null;
        if (gap != null) {
            throw gap;
        }
    }

    private List<LineRange> ranges(HostRegistry.Owner host, HostState before, HostState after) {
        List<LineRange> ranges = new ArrayList<>();
        Set<Long> told = new HashSet<>(); // a file of several names has its lines once
        for (Selection.Entry entry :
                Selection.matching(after, path -> query.filter().takes(host, path), true)) {
            FileVersion version = entry.version();
            FileVersion then = before.version(version.id());
            if (!told.add(version.id()) || (then != null && isOver(then))) {
                continue;
            }
            // a copy that grew since is left to the tasks, which know what all of it consists of
            long start = then == null ? RangeLines.behindCopies(version) : then.length();
            long end = version.length();
            boolean rest = isOver(version);
            if (end > start || (rest && then != null && start > version.startPosition())) {
                ranges.add(new LineRange(entry.path().bytes(), version.id(), true, true, start, end, end, rest));
            }
        }
        return ranges;
    }

    private static boolean isOver(FileVersion version) {
        return switch (version.state()) {
            case GROWING, SEALED -> false;
            case TRUNCATED, REWRITTEN, GONE -> true;
        };
    }
}
