package io.chagres.archive.restore;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A set of byte ranges of versions, each named by the version that stores it, so that a copy and its source are the
 * same range. Confined to one thread.
 */
final class StoredRanges {
    private static final int MAX_DEPTH = 64;

    /** Takes the ranges a version consists of; returns false to see no more. */
    private interface Visitor {
        boolean range(long version, long start, long end);
    }

    private final HostState state;
    /** Of each version that stores bytes: end by start, neither touching nor overlapping. */
    private final Map<Long, TreeMap<Long, Long>> ranges = new HashMap<>();

    /** Makes an empty set of ranges of a state that keeps all extents. */
    StoredRanges(HostState state) {
        this.state = state;
    }

    /** Adds everything a version consists of. */
    void add(FileVersion version) {
        visit(version, version.startPosition(), version.length(), 0, this::add);
    }

    /** Says whether everything a version consists of is in the set; holes need not be. */
    boolean containsAll(FileVersion version) {
        return visit(version, version.startPosition(), version.length(), 0, this::contains);
    }

    private boolean add(long version, long start, long end) {
        TreeMap<Long, Long> of = ranges.computeIfAbsent(version, id -> new TreeMap<>());
        long from = start;
        long to = end;
        Map.@Nullable Entry<Long, Long> near = of.floorEntry(to);
        while (near != null && near.getValue() >= from) {
            from = Math.min(from, near.getKey());
            to = Math.max(to, near.getValue());
            of.remove(near.getKey());
            near = of.floorEntry(to);
        }
        of.put(from, to);
        return true;
    }

    private boolean contains(long version, long start, long end) {
        TreeMap<Long, Long> of = ranges.get(version);
        Map.Entry<Long, Long> near = of == null ? null : of.floorEntry(start);
        return near != null && near.getValue() >= end;
    }

    private boolean visit(FileVersion version, long start, long end, int depth, Visitor visitor) {
        ExtentList extents = Extents.of(version);
        int index = extents.indexOf(start);
        if (index < 0 || depth == MAX_DEPTH) {
            // an empty version, or a copy of what is not there, which verify tells of
            return start == end || visitor.range(version.id(), start, end);
        }
        boolean go = true;
        for (; go && index < extents.size() && extents.get(index).start() < end; index++) {
            LogRecord.Extent extent = extents.get(index);
            long from = Math.max(start, extent.start());
            long to = Math.min(end, extent.end());
            FileVersion source = extent instanceof LogRecord.CopyRun copy ? state.version(copy.sourceVersion()) : null;
            if (source != null && extent instanceof LogRecord.CopyRun copy) {
                long offset = copy.sourceStart() - copy.start();
                go = visit(source, from + offset, to + offset, depth + 1, visitor);
            } else if (!(extent instanceof LogRecord.ZeroRun)) {
                go = visitor.range(version.id(), from, to);
            }
        }
        return go;
    }
}
