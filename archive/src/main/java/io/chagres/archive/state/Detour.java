package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import java.io.IOException;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The way around what shortens the way to a state but is damaged: the commits say the same. Confined to one thread.
 */
final class Detour {
    private final String hostId;
    private final Set<String> reread = new HashSet<>();
    private final Set<CheckpointId> damaged = new HashSet<>();
    private @Nullable CorruptArchiveException first;

    Detour(String hostId) {
        this.hostId = hostId;
    }

    /** Returns the checkpoints that are listed and not known to be damaged. */
    NavigableSet<CheckpointId> checkpoints(BlobStore store) throws IOException {
        NavigableSet<CheckpointId> all = Checkpoints.counting(store, hostId);
        all.removeAll(damaged);
        return all;
    }

    /**
     * Refuses a state that is older than the checkpoint that was gone around, since the commits up to that one are
     * gone. Also refuses a state of other commits: somebody put them under numbers that were free again.
     */
    void requireReached(BlobStore store, long seq) throws IOException {
        for (CheckpointId checkpoint : damaged) {
            if (first != null && (checkpoint.seq() > seq || LogWitness.areOthers(store, hostId, checkpoint.seq()))) {
                throw first;
            }
        }
    }

    /**
     * Chooses another way; the first time an object looks damaged the same one, since that may have happened to the
     * answer only.
     *
     * @throws CorruptArchiveException naming what was found damaged first, when there is no other way
     */
    void around(IOException failed, StateLoad load) throws IOException {
        if (!(failed instanceof CorruptArchiveException cause)) {
            throw first == null ? failed : first;
        }
        String object = cause.object();
        if (ArchiveLayout.seqOf(object).isPresent() && object.startsWith(ArchiveLayout.log(hostId))) {
            first = first == null ? cause : first;
            if (load.avoidTables()) {
                return; // a commit that repeats others wrongly harms nobody who reads those
            }
            throw first;
        }
        if (reread.add(object)) {
            CachingStore.forget(load.store(), object);
            return;
        }
        CheckpointId id =
                object.startsWith(ArchiveLayout.checkpoints(hostId)) ? ArchiveLayout.checkpointOf(object) : null;
        boolean found = id != null ? damaged.add(id) : load.avoidTables();
        if (!found) {
            throw first == null ? cause : first;
        }
        first = first == null ? cause : first;
    }
}
