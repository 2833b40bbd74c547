package io.chagres.archive.maintain;

import io.chagres.archive.CheckpointId;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a state of a host refers to: data objects, and bytes in commits. Confined to one thread. */
final class References implements RunListener {
    private final String hostId;
    private final Set<String> objects = new HashSet<>();
    private final List<LogRecord.Extent> extents = new ArrayList<>();
    private long oldestCommit = Long.MAX_VALUE;
    private byte[] chain = {};

    private References(String hostId) {
        this.hostId = hostId;
    }

    /** Reads from the store what a checkpoint refers to. */
    static References of(BlobStore store, String hostId, CheckpointId checkpoint) throws IOException {
        References found = new References(hostId);
        found.chain = HostLog.load(store, hostId, checkpoint, ExtentFilter.NONE, found)
                .chain();
        return found;
    }

    /** Reads what a host refers to now, by its newest checkpoint in a store and every commit behind that. */
    static References ofLog(BlobStore store, String hostId) throws IOException {
        References found = new References(hostId);
        HostLog.replay(store, hostId, ExtentFilter.NONE, found);
        return found;
    }

    @Override
    public void opened(LogRecord.VersionOpened opened) {}

    @Override
    public void extent(LogRecord.Extent extent) {
        String object = VersionReader.dataObject(hostId, extent);
        if (object != null) {
            objects.add(object);
            extents.add(extent);
        } else if (extent instanceof LogRecord.Run run) {
            oldestCommit = Math.min(oldestCommit, run.seq());
        }
    }

    @Override
    public void restart() {
        objects.clear();
        extents.clear();
        oldestCommit = Long.MAX_VALUE;
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

    /** Returns the extents that lie in data objects but those of some, in the order in which the store holds them. */
    List<LogRecord.Extent> inObjectsBut(Set<String> some) {
        List<LogRecord.Extent> others = new ArrayList<>(extents);
        others.removeIf(extent -> some.contains(VersionReader.dataObject(hostId, extent)));
        others.sort(Extents.AS_STORED);
        return others;
    }
}
