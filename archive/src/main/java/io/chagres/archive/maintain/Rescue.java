package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionName;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.CheckpointContents;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.RowSorter;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * Saves the bytes of a state that lie in commits which are missing, or about to be moved away. Those that can be read
 * go into packs; the others are stated as lost. Confined to one thread.
 */
final class Rescue {
    private static final long ROOM_BYTES = 2 * CompactionPlan.PACK_BYTES;

    private record Piece(FileVersion version, LogRecord.Extent extent) {}

    /** Where bytes of a version begin. */
    private record Place(long versionId, long start) {
        static Place of(LogRecord.Extent extent) {
            return new Place(extent.versionId(), extent.start());
        }
    }

    private final HostState state;
    private final String hostId;
    private final LongPredicate leaves;
    private final List<Piece> pieces = new ArrayList<>();

    /**
     * Finds out what there is to do.
     *
     * @param state keeps all extents
     * @param leaves says of a commit by its number whether it will not be there
     */
    Rescue(HostState state, String hostId, LongPredicate leaves) {
        this.state = state;
        this.hostId = hostId;
        this.leaves = leaves;
        for (FileVersion version : state.versions()) {
            for (LogRecord.Extent extent : Extents.of(version)) {
                if (extent instanceof LogRecord.Run run && leaves.test(run.seq())) {
                    pieces.add(new Piece(version, run));
                }
            }
        }
        pieces.sort(Comparator.comparing(Piece::extent, Extents.AS_STORED));
    }

    /** Says whether any bytes lie in such commits. */
    boolean isNeeded() {
        return !pieces.isEmpty();
    }

    /** Hears of what cannot be read. */
    interface Listener {
        void lost(String bytes, CorruptArchiveException cause);
    }

    /**
     * Writes packs of all that can be read. A copy has a checksum of its own: where the run that it is of is lost, the
     * copy may still be readable.
     *
     * @param from where the commits still are
     * @param to encrypts as the host does
     * @return the extents that each version has in packs
     */
    WrittenExtents write(BlobStore from, BlobStore to, Listener listener) throws IOException {
        WrittenExtents runs = new WrittenExtents(RowSorter.inMemory());
        write(pieces, from, to, runs, listener);
        List<Piece> copies = copiesOfLost(runs);
        if (copies.isEmpty()) {
            return runs;
        }
        WrittenExtents all = new WrittenExtents(RowSorter.inMemory());
        for (LogRecord.Extent run : runs.all()) {
            all.add(run);
        }
        runs.close();
        write(copies, from, to, all, (bytes, cause) -> {}); // what they are of was told
        return all;
    }

    /** Returns the copies of runs that are not among those that were written. */
    private List<Piece> copiesOfLost(WrittenExtents runs) {
        Set<Place> lost = new HashSet<>();
        pieces.forEach(piece -> lost.add(Place.of(piece.extent())));
        runs.all().forEach(run -> lost.remove(Place.of(run)));
        List<Piece> copies = new ArrayList<>();
        for (FileVersion version : lost.isEmpty() ? List.<FileVersion>of() : state.versions()) {
            for (LogRecord.Extent extent : Extents.of(version)) {
                if (extent instanceof LogRecord.CopyRun
                        && ExtentSources.lead(state, extent, run -> lost.contains(Place.of(run)))) {
                    copies.add(new Piece(version, extent));
                }
            }
        }
        return copies;
    }

    private void write(List<Piece> wanted, BlobStore from, BlobStore to, WrittenExtents written, Listener listener)
            throws IOException {
        CompactListener told = new CompactListener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {}

            @Override
            public void skipped(String subject, CorruptArchiveException cause) {
                listener.lost(subject, cause);
            }
        };
        try (VersionReader reader = new VersionReader(from, hostId, state);
                MergeWriter writer =
                        new MergeWriter(to, hostId, state, reader, written, CompactOptions.DEFAULT, told)) {
            List<CompactionPlan.Output> packs = packs(wanted);
            long total = packs.stream().mapToLong(CompactionPlan.Output::length).sum();
            writer.write(packs, total, ROOM_BYTES, () -> {});
        }
    }

    private static List<CompactionPlan.Output> packs(List<Piece> pieces) {
        List<CompactionPlan.Output> packs = new ArrayList<>();
        List<CompactionPlan.Merge> pack = new ArrayList<>();
        long bytes = 0;
        for (Piece each : pieces) {
            boolean fits = bytes + each.extent().length() <= CompactionPlan.PACK_BYTES;
            if (!pack.isEmpty() && (!fits || pack.size() == CompactionPlan.MAX_PIECES)) {
                packs.add(new CompactionPlan.Output(List.copyOf(pack), true));
                pack.clear();
                bytes = 0;
            }
            pack.add(new CompactionPlan.Merge(
                    each.version().id(),
                    each.extent().start(),
                    each.extent().end(),
                    VersionName.recordedPath(each.version())));
            bytes += each.extent().length();
        }
        if (!pack.isEmpty()) {
            packs.add(new CompactionPlan.Output(List.copyOf(pack), true));
        }
        return packs;
    }

    /** Returns the state's extents with those in packs in their place, and without what is lost. */
    CheckpointContents contents(WrittenExtents written) {
        CheckpointContents rescued = new CompactedContents(Retention.none(state), written);
        return version -> {
            List<LogRecord.Extent> extents = new ArrayList<>();
            for (LogRecord.Extent each : rescued.extents(version)) {
                boolean isLost = each instanceof LogRecord.Run run && leaves.test(run.seq());
                extents.add(isLost ? LogRecord.CopyRun.lost(version.id(), each.start(), each.end()) : each);
            }
            return extents;
        };
    }

    /** Removes packs that were written and are not referred to. */
    void undo(BlobStore store, WrittenExtents written) throws IOException {
        Set<String> packs = new HashSet<>();
        for (LogRecord.Extent each : written.all()) {
            if (each instanceof LogRecord.PackedRun run) {
                packs.add(ArchiveLayout.pack(hostId, run.packLength(), run.unique()));
            }
        }
        for (String pack : packs) {
            store.delete(pack);
        }
    }
}
