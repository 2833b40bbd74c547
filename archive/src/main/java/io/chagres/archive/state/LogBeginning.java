package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what a host's log begins with: its first commit, or a checkpoint that stands for it and the commits that
 * were compacted. Stateless, safe for any thread.
 */
public final class LogBeginning {
    /** A checkpoint of so few bytes is read whole: its end, where its index is, takes one request as well. */
    private static final long SMALL_BYTES = 256 * 1024;

    private LogBeginning() {}

    /**
     * Says what is wrong with it: one request where nothing was compacted, else two lists and the end of a checkpoint.
     * What no identity opens counts as right if it is there.
     *
     * @param last the last commit that there is, or that a checkpoint stands for
     * @return null when nothing is, as far as was looked: {@code verify} reads the whole
     */
    public static @Nullable CorruptArchiveException damage(BlobStore store, String hostId, long last)
            throws IOException {
        CorruptArchiveException damage = looked(store, hostId, last);
        if (damage == null) {
            return null;
        }
        CachingStore.forget(store, ArchiveLayout.host(hostId)); // a compaction may have come between two requests
        return looked(store, hostId, last);
    }

    private static @Nullable CorruptArchiveException looked(BlobStore store, String hostId, long last)
            throws IOException {
        String first = ArchiveLayout.commit(hostId, 1);
        if (store.exists(first)) {
            return null;
        }
        CorruptArchiveException newest = null;
        for (CheckpointId id : Checkpoints.counting(store, hostId).descendingSet()) {
            CorruptArchiveException damage = damage(store, hostId, id, last);
            if (damage == null) {
                return null; // a reader takes it where a later one is damaged
            }
            newest = newest == null ? damage : newest;
        }
        return newest != null
                ? newest
                : new CorruptArchiveException(first, "it is missing, and there is no checkpoint that stands for it");
    }

    private static @Nullable CorruptArchiveException damage(BlobStore store, String hostId, CheckpointId id, long last)
            throws IOException {
        String next = ArchiveLayout.commit(hostId, id.seq() + 1);
        if (id.seq() < last && !store.exists(next)) {
            return new CorruptArchiveException(next, "it is missing, and there is no checkpoint that stands for it");
        }
        String key = ArchiveLayout.checkpoint(hostId, id);
        try {
            long bytes = store.size(key);
            StateTable table = bytes < 0 ? null : StateTable.open(store, key, bytes, 0);
            if (table != null) {
                try (table) {
                    if (bytes <= SMALL_BYTES) {
                        table.check(() -> {}); // it is small
                    }
                }
            }
            return bytes < 0 ? new CorruptArchiveException(key, "it is missing") : null;
        } catch (CorruptArchiveException e) {
            return e;
        } catch (NoSuchBlobException e) {
            return new CorruptArchiveException(key, "it is missing");
        } catch (EncryptedException e) {
            return null;
        }
    }
}
