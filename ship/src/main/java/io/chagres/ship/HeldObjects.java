package io.chagres.ship;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The data objects that a store holds of a host, and which parts of its files they lack. Immutable. */
final class HeldObjects {
    private final String hostId;
    private final Map<String, Long> sizes = new HashMap<>();

    /**
     * Lists them.
     *
     * @param altered the keys of what was found altered or lost
     */
    HeldObjects(BlobStore store, String hostId, Set<String> altered) throws IOException {
        this.hostId = hostId;
        for (BlobInfo each : BlobList.all(store, ArchiveLayout.streams(hostId), null)) {
            sizes.put(each.key(), each.lengthBytes());
        }
        sizes.keySet().removeAll(altered);
    }

    /** Says whether some bytes of a file are in an object that is gone or was cut off. */
    boolean lack(LogRecord.Extent extent) {
        return switch (extent) {
            case LogRecord.ObjectRun run -> // encrypted it is longer
                size(ArchiveLayout.object(hostId, run)) < run.objectLength();
            case LogRecord.PackedRun run -> size(ArchiveLayout.pack(hostId, run.packLength(), run.unique())) < 0;
            default -> false;
        };
    }

    private long size(String key) {
        return sizes.getOrDefault(key, -1L);
    }
}
