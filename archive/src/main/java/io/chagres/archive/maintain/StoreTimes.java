package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Knows when the store took the objects of a host, in milliseconds since 1970 by its clock. Immutable. */
final class StoreTimes {
    /** An object that is not known to be old is not old. */
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final String hostId;
    private final List<BlobInfo> commits;
    private final Map<Long, Long> checkpoints = new HashMap<>();
    private final List<BlobInfo> objects;

    /** Lists the objects of a host. */
    StoreTimes(BlobStore store, String hostId) throws IOException {
        this.hostId = hostId;
        commits = BlobList.of(BlobList.all(store, ArchiveLayout.log(hostId), null));
        for (BlobInfo checkpoint : BlobList.all(store, ArchiveLayout.checkpoints(hostId), null)) {
            CheckpointId id = ArchiveLayout.checkpointOf(checkpoint.key());
            if (id != null) {
                checkpoints.merge(id.seq(), checkpoint.modifiedMs(), Math::min);
            }
        }
        objects = BlobList.of(BlobList.all(store, ArchiveLayout.streams(hostId), null));
    }

    /** Returns a time at which everything up to a commit was in the store. */
    long ofCommit(long seq) {
        long there = of(commits, ArchiveLayout.commit(hostId, seq));
        return there != UNKNOWN ? there : checkpoints.getOrDefault(seq, UNKNOWN);
    }

    private static long of(List<BlobInfo> all, @Nullable String key) {
        if (key == null) {
            return UNKNOWN;
        }
        int at = Collections.binarySearch(all, new BlobInfo(key, 0, 0), Comparator.comparing(BlobInfo::key));
        return at >= 0 ? all.get(at).modifiedMs() : UNKNOWN;
    }

    private long ofObject(LogRecord.Extent extent) {
        return of(objects, VersionReader.dataObject(hostId, extent));
    }

    /** Returns a time at which the bytes of an extent were in the store; unknown for what is not stored itself. */
    long of(LogRecord.Extent extent) {
        return switch (extent) {
            case LogRecord.Run run -> ofCommit(run.seq());
            case LogRecord.ObjectRun run -> ofObject(run);
            case LogRecord.PackedRun run -> ofObject(run);
            case LogRecord.ZeroRun zeros -> UNKNOWN;
            case LogRecord.CopyRun copy -> UNKNOWN;
        };
    }
}
