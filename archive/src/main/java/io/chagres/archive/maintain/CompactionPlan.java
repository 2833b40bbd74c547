package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LazyIterator;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.RowSorter;
import io.chagres.archive.state.VersionPaths;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Chooses which bytes of a host go into new data objects: everything that lies in commits, together with small objects
 * and pieces of packs beside it. An object is written again only together with at least as many bytes that follow it,
 * so that a byte of a file that grows for ever is written a logarithmic number of times. The same holds for a pack and
 * the bytes that go into packs beside it. A pack is left when more than half of it is dead. Large ranges become objects
 * of their own that end where a line ends; ranges below {@link #SMALL_BYTES} go into packs. Confined to one thread.
 */
final class CompactionPlan implements AutoCloseable {
    /** The bytes one object holds at most. */
    static final long OBJECT_BYTES = 64L << 20;

    /** Fewer bytes of a version than this have no object of their own. */
    static final long SMALL_BYTES = 1L << 20;

    /** The bytes one pack holds at most. */
    static final long PACK_BYTES = 8L << 20;

    private static final int PLACE_BYTES = 3 * Long.BYTES;

    /** Objects with as many bytes are never written again: they were full, but for the end of a line. */
    private static final long FULL_BYTES = OBJECT_BYTES - LogRecord.PIECE_BYTES;

    /** The pieces one pack holds at most, and so those that are written at a time: each takes memory. */
    static final int MAX_PIECES = 16 * 1024;

    /** Extents of a version, by their indexes, that are written again from a position on. */
    private record Segment(FileVersion version, int first, int last, long start) {
        long end() {
            return Extents.of(version).end(last);
        }
    }

    /**
     * Bytes of a version that are written again.
     *
     * @param path of the version, for messages
     */
    record Merge(long versionId, long start, long end, Pathname path) {
        long length() {
            return end - start;
        }

        /** Returns which bytes it is about, for messages. */
        String describe() {
            return "bytes " + start + " to " + end + " of " + path + " (version " + ArchiveLayout.hex(versionId) + ")";
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

    /** The bytes of a pack, and those of them that are needed. */
    private static final class PackUse {
        private final LogRecord.PackedRun piece;
        private long liveBytes;
        private int pieces;

        PackUse(LogRecord.PackedRun piece) {
            this.piece = piece;
        }
    }

    private final HostState state;
    private final Retention retention;
    private final LocalTables tables;
    private final boolean moves;
    private final Set<Long> leftPacks = new HashSet<>();
    private final Map<Long, PackUse> uses = new HashMap<>();
    /** Versions that are too large for a pack, in their order. */
    private RowSorter large;
    /** Versions that go into packs, in the order of names. */
    private RowSorter small;
    /** Versions with an object of their own, in their order. */
    private final RowSorter objects;

    private long packedBytes;
    private long totalBytes;

    private CompactionPlan(HostState state, Retention retention, LocalTables tables, boolean moves) {
        this.state = state;
        this.retention = retention;
        this.tables = tables;
        this.moves = moves;
        large = tables.sorter();
        small = tables.sorter();
        objects = tables.sorter();
    }

    /** Plans nothing. */
    static CompactionPlan none(HostState state, Retention retention, LocalTables tables) {
        return new CompactionPlan(state, retention, tables, false);
    }

    /**
     * Plans what to write of what retention keeps.
     *
     * @param paths of the versions
     * @param tables help to sort
     */
    static CompactionPlan of(
            HostState state, Retention retention, LineEnds lines, VersionPaths paths, LocalTables tables)
            throws IOException {
        CompactionPlan plan = new CompactionPlan(state, retention, tables, true);
        boolean done = false;
        try {
            plan.collect(paths);
            if (plan.leavePacks()) {
                plan.forget();
                plan.collect(paths);
            }
            plan.cut(lines);
            done = true;
            return plan;
        } finally {
            if (!done) {
                plan.close();
            }
        }
    }

    /** Returns the new objects, made one by one. */
    Iterable<Output> outputs() {
        return () -> new Outputs(objects.iterator(), small.iterator());
    }

    /** Returns how many bytes of files they hold. */
    long totalBytes() {
        return totalBytes;
    }

    /** Makes objects of rows: packs of what follows each other. */
    private static final class Outputs extends LazyIterator<Output> {
        private final Iterator<byte[]> large;
        private final Iterator<byte[]> small;
        private @Nullable Merge next;

        Outputs(Iterator<byte[]> large, Iterator<byte[]> small) {
            this.large = large;
            this.small = small;
            advance();
        }

        private void advance() {
            next = small.hasNext() ? mergeOf(small.next(), true) : null;
        }

        @Override
        protected @Nullable Output following() {
            if (large.hasNext()) {
                return new Output(List.of(mergeOf(large.next(), false)), false);
            }
            List<Merge> pack = new ArrayList<>();
            long bytes = 0;
            for (Merge merge = next; merge != null; merge = next) {
                if (!pack.isEmpty() && (bytes + merge.length() > PACK_BYTES || pack.size() == MAX_PIECES)) {
                    break;
                }
                pack.add(merge);
                bytes += merge.length();
                advance();
            }
            return pack.isEmpty() ? null : new Output(pack, true);
        }
    }

    private static byte[] row(long versionId, long start, long end, Pathname path, boolean byName) {
        byte[] name = path.bytes();
        ByteBuffer row = ByteBuffer.allocate(name.length + 1 + PLACE_BYTES);
        if (byName) {
            row.put(name).put((byte) 0); // a path holds no zero byte
        }
        row.putLong(versionId).putLong(start).putLong(end);
        if (!byName) {
            row.put(name).put((byte) 0);
        }
        return row.array();
    }

    private static Merge mergeOf(byte[] row, boolean byName) {
        ByteBuffer at = ByteBuffer.wrap(row);
        int length = row.length - 1 - PLACE_BYTES;
        Pathname path = Pathname.ofBytes(row, byName ? 0 : PLACE_BYTES, length);
        at.position(byName ? length + 1 : 0);
        return new Merge(at.getLong(), at.getLong(), at.getLong(), path);
    }

    private int end(FileVersion version) {
        return retention.keeps(version) ? Extents.of(version).size() : retention.first(version);
    }

    /** Returns what is written again of a version, in the order of positions. */
    private List<Segment> segments(FileVersion version) {
        List<Segment> segments = new ArrayList<>();
        int first = retention.first(version);
        int end = end(version);
        while (moves && end > first) {
            int start = segmentStart(version, first, end);
            if (isWorthIt(version, start, end)) {
                long from = Math.max(Extents.of(version).start(start), retention.start(version));
                segments.addFirst(new Segment(version, start, end - 1, from));
            }
            end = Math.min(start, end - 1);
        }
        return segments;
    }

    /** Goes through all versions, and notes what is written again and what stays in packs. */
    private void collect(VersionPaths paths) throws IOException {
        for (FileVersion version : tables.relieving(state.versions())) {
            List<Segment> segments = segments(version);
            for (Segment segment : segments) {
                long length = segment.end() - segment.start();
                boolean isSmall = length < SMALL_BYTES;
                byte[] row = row(version.id(), segment.start(), segment.end(), paths.of(version), isSmall);
                (isSmall ? small : large).add(row);
                packedBytes += isSmall ? length : 0;
                totalBytes += length;
            }
            forUntouched(version, segments, extent -> {
                if (extent instanceof LogRecord.PackedRun run) {
                    PackUse use = uses.computeIfAbsent(run.unique(), unique -> new PackUse(run));
                    use.liveBytes += run.length();
                    use.pieces++;
                }
            });
        }
    }

    private void forget() {
        large.close();
        small.close();
        large = tables.sorter();
        small = tables.sorter();
        uses.clear();
        packedBytes = 0;
        totalBytes = 0;
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
                    || (isStored(extent)
                            && extent.length() < FULL_BYTES
                            && (bytes == 0 || extent.length() <= bytes)
                            && !retention.isOld(extent));
            // what goes and what stays do not share an object
            if (!fits || (bytes > 0 && extent.end() == expiredBefore)) {
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
                || (extent instanceof LogRecord.PackedRun run && leftPacks.contains(run.unique()))
                || (i == retention.first(version) && extents.start(i) < retention.start(version));
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
        List<PackUse> byUse = new ArrayList<>(uses.values());
        byUse.sort(Comparator.comparingLong(use -> use.liveBytes));
        long bytes = packedBytes;
        for (PackUse use : byUse) {
            boolean mostlyDead = use.liveBytes < use.piece.packLength() / 2;
            boolean isFull = use.liveBytes >= PACK_BYTES / 2 || use.pieces >= MAX_PIECES / 2;
            boolean small = !isFull && use.liveBytes <= bytes;
            if (use.liveBytes > 0 && (mostlyDead || small) && retention.mayMove(use.piece)) {
                leftPacks.add(use.piece.unique());
                bytes += use.liveBytes;
            }
        }
        return !leftPacks.isEmpty();
    }

    /** Visits the extents of a version that stay where they are. */
    private void forUntouched(FileVersion version, List<Segment> segments, Consumer<LogRecord.Extent> visitor) {
        ExtentList extents = Extents.of(version);
        int end = end(version);
        int segment = 0;
        for (int i = retention.first(version); i < end; i++) {
            while (segment < segments.size() && segments.get(segment).last() < i) {
                segment++;
            }
            boolean within = segment < segments.size() && segments.get(segment).first() <= i;
            if (!within) {
                visitor.accept(extents.get(i));
            }
        }
    }

    /** Returns the keys of the objects that are still referred to. */
    Set<String> untouched(String hostId) {
        Set<String> keys = new HashSet<>();
        for (FileVersion version : state.versions()) {
            forUntouched(version, segments(version), extent -> {
                String key = VersionReader.dataObject(hostId, extent);
                if (key != null) {
                    keys.add(key);
                }
            });
        }
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

    /** Cuts what is large into objects; what is left of it goes into packs. */
    private void cut(LineEnds lines) throws IOException {
        for (byte[] row : large) {
            Merge merge = mergeOf(row, false);
            FileVersion version = Objects.requireNonNull(state.version(merge.versionId()));
            long at = merge.start();
            long end = merge.end();
            while (end - at >= SMALL_BYTES) {
                long to = lines.lastBefore(version, at, Math.min(end, at + OBJECT_BYTES));
                objects.add(row(version.id(), at, to, merge.path(), false));
                at = to;
            }
            if (at < end) {
                small.add(row(version.id(), at, end, merge.path(), true));
            }
        }
    }

    @Override
    public void close() {
        large.close();
        small.close();
        objects.close();
    }
}
