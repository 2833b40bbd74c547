package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.CheckpointContents;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * The bytes of a state that lie in commits which are about to be moved away, or are not there: what can be read of them
 * goes into packs, the rest is stated as lost. Confined to one thread.
 */
final class Rescue {
    private static final long ROOM_BYTES = 2 * CompactionPlan.PACK_BYTES;

    private record Piece(FileVersion version, LogRecord.Run run) {}

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
        pieces.sort(Comparator.comparing(Piece::run, Extents.AS_STORED));
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
     * Writes packs of all that can be read.
     *
     * @param from where the commits still are
     * @param to encrypts as the host does
     * @return the extents that each version has in packs, in order
     */
    Map<Long, List<LogRecord.Extent>> write(BlobStore from, BlobStore to, Listener listener) throws IOException {
        Compact.Listener told = new Compact.Listener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {}

            @Override
            public void skipped(String subject, CorruptArchiveException cause) {
                listener.lost(subject, cause);
            }
        };
        try (VersionReader reader = new VersionReader(from, hostId, state);
                MergeWriter writer = new MergeWriter(
                        to, reader, new StoredFacts(hostId, RunListener.NONE), Compact.Options.DEFAULT, told)) {
            return writer.write(packs(), ROOM_BYTES);
        }
    }

    private List<CompactionPlan.Output> packs() {
        List<CompactionPlan.Output> packs = new ArrayList<>();
        List<CompactionPlan.Merge> pack = new ArrayList<>();
        long bytes = 0;
        for (Piece each : pieces) {
            if (bytes + each.run().length() > CompactionPlan.PACK_BYTES) {
                packs.add(new CompactionPlan.Output(List.copyOf(pack), true));
                pack.clear();
                bytes = 0;
            }
            pack.add(new CompactionPlan.Merge(
                    each.version(), each.run().start(), each.run().end()));
            bytes += each.run().length();
        }
        if (!pack.isEmpty()) {
            packs.add(new CompactionPlan.Output(List.copyOf(pack), true));
        }
        return packs;
    }

    /** Returns the state's extents with those in packs in their place, and without what is lost. */
    CheckpointContents contents(Map<Long, List<LogRecord.Extent>> written) {
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
    void undo(BlobStore store, Map<Long, List<LogRecord.Extent>> written) throws IOException {
        for (List<LogRecord.Extent> extents : written.values()) {
            for (LogRecord.Extent each : extents) {
                if (each instanceof LogRecord.PackedRun run) {
                    store.delete(ArchiveLayout.pack(hostId, run.packLength(), run.unique()));
                }
            }
        }
    }
}
