package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Chooses which bytes of a host go into new data objects: everything that lies in commits, together with small objects
 * and pieces of packs beside it. An object is written again only together with at least as many bytes that follow it,
 * so that a byte of a file that grows for ever is written a logarithmic number of times; the same holds for a pack and
 * the bytes that go into packs beside it, and a pack is left when more than half of it is dead. Large ranges become
 * objects of their own that end where a line ends; what is less than {@link #SMALL_BYTES} goes into packs. Confined to
 * one thread.
 */
final class CompactionPlan {
    /** The bytes one object holds at most. */
    static final long OBJECT_BYTES = 64L << 20;

    /** Fewer bytes of a version than this have no object of their own. */
    static final long SMALL_BYTES = 1L << 20;

    /** The bytes one pack holds at most. */
    static final long PACK_BYTES = 8L << 20;

    /** Objects with as many bytes are never written again: they were full, but for the end of a line. */
    private static final long FULL_BYTES = OBJECT_BYTES - LogRecord.PIECE_BYTES;

    /** Extents of a version, by their indexes, that are written again from a position on. */
    private record Segment(FileVersion version, int first, int last, long start) {
        long end() {
            return Extents.of(version).end(last);
        }
    }

    /** Bytes of a version that are written again. */
    record Merge(FileVersion version, long start, long end) {
        long length() {
            return end - start;
        }

        /** Returns which bytes it is about, for messages. */
        String describe() {
            return "bytes " + start + " to " + end + " of " + Selection.lastPath(version) + " (version "
                    + ArchiveLayout.hex(version.id()) + ")";
        }
    }

    /**
     * A new object.
     *
     * @param pack whether it is a pack; otherwise it holds one merge
     */
    record Output(List<Merge> merges, boolean pack) {
        long length() {
            return merges.stream().mapToLong(Merge::length).sum();
        }
    }

    /** What a pack holds, and what of it is needed. */
    private static final class PackUse {
        private final LogRecord.PackedRun piece;
        private long liveBytes;

        PackUse(LogRecord.PackedRun piece) {
            this.piece = piece;
        }
    }

    private final HostState state;
    private final Retention retention;
    private final Set<Long> leftPacks = new HashSet<>();
    private List<Segment> segments = List.of();
    private final List<Output> outputs = new ArrayList<>();

    private CompactionPlan(HostState state, Retention retention) {
        this.state = state;
        this.retention = retention;
    }

    /** Plans nothing. */
    static CompactionPlan none(HostState state, Retention retention) {
        return new CompactionPlan(state, retention);
    }

    /** Plans what to write of what retention keeps. */
    static CompactionPlan of(HostState state, Retention retention, LineEnds lines) throws IOException {
        CompactionPlan plan = none(state, retention);
        plan.segments = plan.segments();
        if (plan.leavePacks()) {
            plan.segments = plan.segments();
        }
        plan.cut(lines);
        return plan;
    }

    /** Returns the new objects. */
    List<Output> outputs() {
        return outputs;
    }

    private int end(FileVersion version) {
        return retention.keeps(version) ? Extents.of(version).size() : retention.first(version);
    }

    /** Returns what is written again, in the order of versions and positions. */
    private List<Segment> segments() {
        List<Segment> all = new ArrayList<>();
        for (FileVersion version : state.versions()) {
            List<Segment> ofVersion = new ArrayList<>();
            int first = retention.first(version);
            int end = end(version);
            while (end > first) {
                int start = segmentStart(version, first, end);
                if (isWorthIt(version, start, end)) {
                    long from = Math.max(Extents.of(version).start(start), retention.start(version));
                    ofVersion.addFirst(new Segment(version, start, end - 1, from));
                }
                end = Math.min(start, end - 1);
            }
            all.addAll(ofVersion);
        }
        return all;
    }

    /** Returns where the longest run of extents begins that ends before an index and should become one. */
    private int segmentStart(FileVersion version, int first, int end) {
        ExtentList extents = Extents.of(version);
        long expiredBefore = retention.retention(version).expiredBefore();
        long bytes = 0;
        int start = end;
        while (start > first) {
            LogRecord.Extent extent = extents.get(start - 1);
            boolean fits = mustMove(version, start - 1)
                    || isStored(extent)
                            && extent.length() < FULL_BYTES
                            && (bytes == 0 || extent.length() <= bytes)
                            && !retention.isOld(extent);
            // what goes and what stays do not share an object
            if (!fits || bytes > 0 && extent.end() == expiredBefore) {
                break;
            }
            bytes += extent.length();
            start--;
        }
        return start;
    }

    private boolean mustMove(FileVersion version, int i) {
        ExtentList extents = Extents.of(version);
        LogRecord.Extent extent = extents.get(i);
        return extent instanceof LogRecord.Run
                || extent instanceof LogRecord.PackedRun run && leftPacks.contains(run.unique())
                || i == retention.first(version) && extents.start(i) < retention.start(version);
    }

    /** Says whether an extent has bytes of its own, which may be written again. */
    static boolean holdsBytes(LogRecord.Extent extent) {
        return extent instanceof LogRecord.Run || isStored(extent);
    }

    private static boolean isStored(LogRecord.Extent extent) {
        return extent instanceof LogRecord.ObjectRun || extent instanceof LogRecord.PackedRun;
    }

    /** Says whether writing extents again moves what must move, or leaves fewer of them. */
    private boolean isWorthIt(FileVersion version, int start, int end) {
        ExtentList extents = Extents.of(version);
        for (int i = start; i < end; i++) {
            if (mustMove(version, i)) {
                return true;
            }
        }
        long length = start == end ? 0 : extents.end(end - 1) - extents.start(start);
        long size = length < SMALL_BYTES ? LogRecord.PIECE_BYTES : OBJECT_BYTES;
        return (length + size - 1) / size < end - start;
    }

    /** Chooses the packs that are written again; returns whether there are any. */
    private boolean leavePacks() {
        List<PackUse> byUse = new ArrayList<>(packUses().values());
        byUse.sort(Comparator.comparingLong(use -> use.liveBytes));
        long packedBytes = 0;
        for (Segment segment : segments) {
            long length = segment.end() - segment.start();
            packedBytes += length < SMALL_BYTES ? length : 0;
        }
        for (PackUse use : byUse) {
            boolean mostlyDead = use.liveBytes < use.piece.packLength() / 2;
            boolean small = use.liveBytes < PACK_BYTES / 2 && use.liveBytes <= packedBytes;
            if (use.liveBytes > 0 && (mostlyDead || small) && retention.mayMove(use.piece)) {
                leftPacks.add(use.piece.unique());
                packedBytes += use.liveBytes;
            }
        }
        return !leftPacks.isEmpty();
    }

    private Map<Long, PackUse> packUses() {
        Map<Long, PackUse> uses = new HashMap<>();
        forUntouched(extent -> {
            if (extent instanceof LogRecord.PackedRun run) {
                uses.computeIfAbsent(run.unique(), unique -> new PackUse(run)).liveBytes += run.length();
            }
        });
        return uses;
    }

    /** Visits the extents that stay where they are. */
    private void forUntouched(Consumer<LogRecord.Extent> visitor) {
        Iterator<Segment> all = segments.iterator();
        Segment next = all.hasNext() ? all.next() : null;
        for (FileVersion version : state.versions()) {
            ExtentList extents = Extents.of(version);
            int end = end(version);
            for (int i = retention.first(version); i < end; i++) {
                boolean within = next != null && next.version() == version && i >= next.first();
                if (!within) {
                    visitor.accept(extents.get(i));
                } else if (next != null && i == next.last()) {
                    next = all.hasNext() ? all.next() : null;
                }
            }
        }
    }

    /** Returns the keys of the objects that are still referred to. */
    Set<String> untouched(String hostId) {
        Set<String> keys = new HashSet<>();
        forUntouched(extent -> {
            String key = VersionReader.dataObject(hostId, extent);
            if (key != null) {
                keys.add(key);
            }
        });
        return keys;
    }

    /** Returns the keys of all objects the state refers to, before anything goes or moves. */
    Set<String> objects(String hostId) {
        Set<String> keys = new HashSet<>();
        for (FileVersion version : state.versions()) {
            ExtentList extents = Extents.of(version);
            for (int i = 0; i < extents.size(); i++) {
                String key = VersionReader.dataObject(hostId, extents.get(i));
                if (key != null) {
                    keys.add(key);
                }
            }
        }
        return keys;
    }

    /** Cuts what is written again into objects. */
    private void cut(LineEnds lines) throws IOException {
        List<Merge> small = new ArrayList<>();
        for (Segment segment : segments) {
            long at = segment.start();
            long end = segment.end();
            while (end - at >= SMALL_BYTES) {
                long to = lines.lastBefore(segment.version(), at, Math.min(end, at + OBJECT_BYTES));
                outputs.add(new Output(List.of(new Merge(segment.version(), at, to)), false));
                at = to;
            }
            if (at < end) {
                small.add(new Merge(segment.version(), at, end));
            }
        }
        addPacks(inOrderOfNames(small));
    }

    private static List<Merge> inOrderOfNames(List<Merge> merges) {
        record Named(Pathname name, Merge merge) {}
        Comparator<Named> order = Comparator.comparing(Named::name);
        return merges.stream() // of one version in their order: the sort is stable
                .map(merge -> new Named(Selection.lastPath(merge.version()), merge))
                .sorted(order.thenComparingLong(named -> named.merge().version().id()))
                .map(Named::merge)
                .toList();
    }

    private void addPacks(List<Merge> merges) {
        List<Merge> pack = new ArrayList<>();
        long bytes = 0;
        for (Merge merge : merges) {
            if (bytes + merge.length() > PACK_BYTES) {
                outputs.add(new Output(List.copyOf(pack), true));
                pack.clear();
                bytes = 0;
            }
            pack.add(merge);
            bytes += merge.length();
        }
        if (!pack.isEmpty()) {
            outputs.add(new Output(List.copyOf(pack), true));
        }
    }
}
