package io.chagres.archive.maintain;

import io.chagres.archive.CheckpointId;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** The objects that a state of a host refers to: data objects, and bytes in commits. Confined to one thread. */
final class References {
    private final String hostId;
    private final Set<String> objects = new HashSet<>();
    private long lastPack;
    private boolean hasPack;
    private long oldestCommit = Long.MAX_VALUE;
    private byte[] chain = {};

    private References(String hostId) {
        this.hostId = hostId;
    }

    /** Reads from the store what a checkpoint refers to. */
    static References of(BlobStore store, String hostId, CheckpointId checkpoint) throws IOException {
        References found = new References(hostId);
        found.chain = Checkpoint.extents(store, hostId, checkpoint, found::add);
        return found;
    }

    /** Reads what a host refers to now, by its newest checkpoint in a store and every commit behind that. */
    static References ofLog(BlobStore store, String hostId, LocalTables tables) throws IOException {
        References found = new References(hostId);
        HostState state = HostLog.replay(store, hostId, tables, RunListener.NONE);
        for (FileVersion version : state.versions()) {
            Extents.of(version).forEach(found::add);
        }
        return found;
    }

    private void add(LogRecord.Extent extent) {
        if (extent instanceof LogRecord.Run run) {
            oldestCommit = Math.min(oldestCommit, run.seq());
            return;
        }
        if (extent instanceof LogRecord.PackedRun piece) {
            if (hasPack && piece.unique() == lastPack) {
                return; // as most that follow each other do
            }
            hasPack = true;
            lastPack = piece.unique();
        }
        String object = VersionReader.dataObject(hostId, extent);
        if (object != null) {
            objects.add(object);
        }
    }

    /** Returns the keys of data objects. */
    Set<String> objects() {
        return objects;
    }

    /** Returns the oldest commit that holds bytes which are referred to; {@link Long#MAX_VALUE} for none. */
    long oldestCommit() {
        return oldestCommit;
    }

    /** Returns the chain value of a checkpoint. */
    byte[] chain() {
        return chain.clone();
    }
}
