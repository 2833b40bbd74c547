package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stands before a store and lists of a host only the checkpoints before one. Safe for any thread. */
final class EarlierCheckpoints extends ForwardingStore {
    private final String hostId;
    private final CheckpointId first;

    /**
     * Stands before a store, which stays the caller's.
     *
     * @param first the first checkpoint that is not shown
     */
    EarlierCheckpoints(BlobStore store, String hostId, CheckpointId first) {
        super(store);
        this.hostId = hostId;
        this.first = first;
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        boolean ofMarks = prefix.equals(ArchiveLayout.marks(hostId));
        if (!ofMarks && !prefix.equals(ArchiveLayout.checkpoints(hostId))) {
            return store.page(prefix, afterKey, maxObjects);
        }
        List<BlobInfo> shown = new ArrayList<>();
        for (BlobInfo each : BlobList.all(store, prefix, afterKey)) {
            CheckpointId id = ofMarks ? ArchiveLayout.markOf(each.key()) : ArchiveLayout.checkpointOf(each.key());
            if (id != null && id.compareTo(first) < 0) {
                shown.add(each);
            }
        }
        return BlobPage.of(shown, maxObjects);
    }
}
