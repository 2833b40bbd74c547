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

/** Knows when the store took the objects of a host, in milliseconds since 1970 by its clock. Immutable. */
final class StoreTimes {
    /** What is not known to be old is not old. */
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final String hostId;
    private final List<BlobInfo> commits;
    private final Map<Long, Long> checkpoints = new HashMap<>();
    private final Map<String, Long> objects = new HashMap<>();

    /** Lists the objects of a host. */
    StoreTimes(BlobStore store, String hostId) throws IOException {
        this.hostId = hostId;
        commits = BlobList.of(store.list(ArchiveLayout.log(hostId), null));
        for (BlobInfo checkpoint : store.list(ArchiveLayout.checkpoints(hostId), null)) {
            CheckpointId id = ArchiveLayout.checkpointOf(checkpoint.key());
            if (id != null) {
                checkpoints.merge(id.seq(), checkpoint.modifiedMs(), Math::min);
            }
        }
        for (BlobInfo object : store.list(ArchiveLayout.streams(hostId), null)) {
            objects.put(object.key(), object.modifiedMs());
        }
    }

    /** Returns a time at which everything up to a commit was in the store. */
    long ofCommit(long seq) {
        BlobInfo key = new BlobInfo(ArchiveLayout.commit(hostId, seq), 0, 0);
        int at = Collections.binarySearch(commits, key, Comparator.comparing(BlobInfo::key));
        return at >= 0 ? commits.get(at).modifiedMs() : checkpoints.getOrDefault(seq, UNKNOWN);
    }

    private long ofObject(LogRecord.Extent extent) {
        return objects.getOrDefault(VersionReader.dataObject(hostId, extent), UNKNOWN);
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
