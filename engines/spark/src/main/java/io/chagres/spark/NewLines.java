package io.chagres.spark;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.find.RangeLines;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.HostView;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Pathname;
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
    private final RowFilter filter;
    private final Map<String, Long> newest = new HashMap<>();

    NewLines(Question question, RowFilter filter) {
        this.question = question;
        this.filter = filter;
    }

    /** Returns where to begin: before everything, or where each host was at the time that is asked for. */
    FleetOffset first() throws IOException {
        Map<String, Long> seqs = new HashMap<>();
        Instant since = question.since();
        if (since != null) {
            try (BlobStore store = question.open();
                    LocalTables tables = Question.tables()) {
                for (HostRegistry.Owner host : hosts(store)) {
                    PointInTime then = PointInTime.time(since.toEpochMilli());
                    HostState state = load(store, host.id(), then, 0, tables);
                    if (state.isPast()) {
                        throw compacted(host, "its commits of that time are compacted; since has to be later");
                    }
                    seqs.put(host.id(), state.seq());
                }
            }
        }
        return new FleetOffset(seqs);
    }

    /** Returns how far each host is. */
    FleetOffset latest() throws IOException {
        Map<String, Long> seqs = new HashMap<>();
        try (BlobStore store = question.open();
                LocalTables tables = Question.tables()) {
            for (HostRegistry.Owner host : hosts(store)) {
                Long known = newest.get(host.id());
                if (known == null || hasMore(store, host.id(), known)) {
                    known = load(store, host.id(), PointInTime.NOW, 0, tables).seq();
                    newest.put(host.id(), known);
                }
                seqs.put(host.id(), known);
                tables.release(host.id());
            }
        }
        return new FleetOffset(seqs);
    }

    /** Says whether a host has a commit behind another, or had one that was compacted. */
    private static boolean hasMore(BlobStore store, String hostId, long seq) throws IOException {
        NavigableSet<CheckpointId> checkpoints = HostLog.checkpoints(store, hostId);
        return !checkpoints.isEmpty() && checkpoints.last().seq() > seq
                || store.list(ArchiveLayout.log(hostId), ArchiveLayout.commit(hostId, seq))
                        .iterator()
                        .hasNext();
    }

    /** Returns the tasks for what was added behind one offset, up to another. */
    List<Split> between(FleetOffset start, FleetOffset end) throws IOException {
        List<Split> splits = new ArrayList<>();
        try (BlobStore store = question.open();
                LocalTables tables = Question.tables()) {
            for (HostRegistry.Owner host : hosts(store)) {
                long from = start.seq(host.id());
                long to = end.seq(host.id());
                if (to > from) {
                    HostState before = from == 0 ? HostState.empty() : exactly(store, host, from, 0, tables);
                    // of new versions it is asked what they begin with
                    HostState after = exactly(store, host, to, before.nextVersionId(), tables);
                    splits.addAll(new Splits(host, question.splitBytes()).of(ranges(host, before, after)));
                    tables.release(host.id());
                }
            }
        }
        return splits;
    }

    private List<HostRegistry.Owner> hosts(BlobStore store) throws IOException {
        return HostRegistry.hosts(store).stream()
                .filter(host -> filter.mayHold(Map.of("host", host.name())))
                .toList();
    }

    private static HostState exactly(
            BlobStore store, HostRegistry.Owner host, long seq, long extentsFrom, LocalTables tables)
            throws IOException {
        HostState state;
        try {
            state = load(store, host.id(), PointInTime.seq(seq), extentsFrom, tables);
        } catch (CompactedHistoryException e) {
            state = HostState.empty();
        }
        if (state.seq() != seq || state.isPast()) {
            throw compacted(
                    host,
                    "how its files were after commit " + seq + ", where this query stopped, is compacted; begin with"
                            + " another checkpoint location and 'since', and compact with a longer --grace");
        }
        return state;
    }

    private static IOException compacted(HostRegistry.Owner host, String message) {
        return new IOException("host " + host.name() + ": " + message);
    }

    private static HostState load(BlobStore store, String hostId, PointInTime at, long extentsFrom, LocalTables tables)
            throws IOException {
        ExtentFilter extents = extentsFrom == 0 ? ExtentFilter.NONE : ExtentFilter.of(id -> id >= extentsFrom);
        return SplitPlan.begun(
                store, hostId, HostView.open(store, hostId, at, extents, tables).state());
    }

    private List<LineRange> ranges(HostRegistry.Owner host, HostState before, HostState after) {
        List<LineRange> ranges = new ArrayList<>();
        Set<Long> told = new HashSet<>(); // a file of several names has its lines once
        for (Selection.Entry entry : Selection.matching(after, path -> isWanted(host, path), true)) {
            FileVersion version = entry.version();
            FileVersion then = before.version(version.id());
            if (!told.add(version.id()) || then != null && isOver(then)) {
                continue;
            }
            // a copy that grew since is left to the tasks, which know what all of it consists of
            long start = then == null ? RangeLines.behindCopies(version) : then.length();
            long end = version.length();
            boolean rest = isOver(version);
            if (end > start || rest && then != null && start > version.startPosition()) {
                ranges.add(new LineRange(entry.path().bytes(), version.id(), true, true, start, end, end, rest));
            }
        }
        return ranges;
    }

    private boolean isWanted(HostRegistry.Owner host, Pathname path) {
        return filter.mayHold(Map.of("host", host.name(), "path", path.toString()));
    }

    private static boolean isOver(FileVersion version) {
        return switch (version.state()) {
            case GROWING, SEALED -> false;
            case TRUNCATED, REWRITTEN, GONE -> true;
        };
    }
}
