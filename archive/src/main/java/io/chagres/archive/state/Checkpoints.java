package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Says which checkpoints of a host count: those that have a mark. Only somebody who may also delete has the right to
 * put a mark. A checkpoint that was put with a shipper's rights contradicts the shipper's own commits, or says nothing
 * that they do not. Stateless, safe for any thread.
 */
public final class Checkpoints {
    private static final String REPAIRED = "repaired";

    private Checkpoints() {}

    /**
     * Returns the checkpoints that have a mark, from old to new. Where there is no mark, because all are lost, those
     * count up to whose commit no commit is left: nothing else holds that time. Two lists when there is any,
     * else one.
     */
    public static NavigableSet<CheckpointId> counting(BlobStore store, String hostId) throws IOException {
        NavigableSet<CheckpointId> all = listed(store, hostId);
        if (all.isEmpty()) {
            return all;
        }
        NavigableSet<CheckpointId> marked = marked(store, hostId);
        boolean areMarksLost = marked.isEmpty();
        marked.retainAll(all);
        return !areMarksLost ? marked : all.headSet(new CheckpointId(firstCommit(store, hostId), 0), false);
    }

    /** Returns the newest checkpoint of a host that counts; null when there is none. One list. */
    public static @Nullable CheckpointId newest(BlobStore store, String hostId) throws IOException {
        NavigableSet<CheckpointId> all = counting(store, hostId);
        return all.isEmpty() ? null : all.last();
    }

    /** Returns all checkpoints of a host that a list shows, from old to new. */
    public static NavigableSet<CheckpointId> listed(BlobStore store, String hostId) throws IOException {
        NavigableSet<CheckpointId> all = new TreeSet<>();
        for (BlobInfo info : BlobList.all(store, ArchiveLayout.checkpoints(hostId), null)) {
            CheckpointId id = ArchiveLayout.checkpointOf(info.key());
            if (id != null) {
                all.add(id);
            }
        }
        return all;
    }

    /** Returns the checkpoints of a host that have a mark in a list, whether they exist or not, from old to new. */
    public static NavigableSet<CheckpointId> marked(BlobStore store, String hostId) throws IOException {
        NavigableSet<CheckpointId> marked = new TreeSet<>();
        for (BlobInfo info : BlobList.all(store, ArchiveLayout.marks(hostId), null)) {
            CheckpointId id = ArchiveLayout.markOf(info.key());
            if (id != null) {
                marked.add(id);
            }
        }
        return marked;
    }

    private static long firstCommit(BlobStore store, String hostId) throws IOException {
        for (BlobInfo info : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
            long seq = ArchiveLayout.seqOf(info.key()).orElse(0);
            if (seq > 0) {
                return seq;
            }
        }
        return Long.MAX_VALUE;
    }

    /**
     * Returns a name under which a new checkpoint of a commit counts before all others of it. It has the first free
     * revision behind the last one with a mark; free means that no object has it, not even one that a lagging list does
     * not show.
     */
    public static CheckpointId next(BlobStore store, String hostId, long seq) throws IOException {
        NavigableSet<CheckpointId> all = listed(store, hostId);
        CheckpointId last = marked(store, hostId).floor(new CheckpointId(seq, Long.MAX_VALUE));
        CheckpointId next = new CheckpointId(seq, last == null || last.seq() < seq ? 0 : last.revision() + 1);
        while (all.contains(next) || store.exists(ArchiveLayout.checkpoint(hostId, next))) {
            next = new CheckpointId(seq, next.revision() + 1);
        }
        return next;
    }

    /**
     * Says that a checkpoint counts from now on.
     *
     * @param isOfRepair whether a repair put it
     */
    static void mark(BlobStore store, String hostId, CheckpointId id, boolean isOfRepair) throws IOException {
        byte[] content = isOfRepair ? REPAIRED.getBytes(StandardCharsets.US_ASCII) : new byte[0];
        store.putIfAbsent(ArchiveLayout.mark(hostId, id), MemorySegment.ofArray(content));
    }

    /** Says whether a repair put a checkpoint: it leaves in commits what can be read there. One request. */
    public static boolean isOfRepair(BlobStore store, String hostId, CheckpointId id) throws IOException {
        return store.size(ArchiveLayout.mark(hostId, id)) > 0;
    }
}
