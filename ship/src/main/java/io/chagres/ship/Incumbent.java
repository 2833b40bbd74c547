package io.chagres.ship;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.linux.FileLocks;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The shipper that wrote last to a host's log. One that lives is not fenced by one that comes later: it may follow
 * other files, under another state. On this machine its process is asked for; elsewhere it lives as long as its last
 * word is young by the store's clock. Confined to one thread.
 */
final class Incumbent {
    /** A shipper that was silent for this number of intervals is dead. */
    static final int SILENT_INTERVALS = 3;

    private final BlobStore store;
    private final String hostId;
    private final HostState loaded;
    private final String hostName;

    private Incumbent(BlobStore store, String hostId, HostState loaded, String hostName) {
        this.store = store;
        this.hostId = hostId;
        this.loaded = loaded;
        this.hostName = hostName;
    }

    /**
     * Returns when nobody else writes to a host's log.
     *
     * @param ours the incarnation that the state directory remembers, whose lock is held: it is over; null for none
     * @throws LockedException when somebody does, or may
     */
    static void refuseBeside(
            BlobStore store, String hostId, HostState loaded, Machine here, String hostName, @Nullable String ours)
            throws IOException {
        LogRecord.IncarnationOpened last = loaded.lastIncarnation();
        if (last == null
                || loaded.closedCleanly()
                || HexFormat.of().formatHex(last.incarnation()).equals(ours)) {
            return;
        }
        boolean sameInstallation = last.machineId().equals(here.machineId());
        if (sameInstallation && last.bootId().equals(here.bootId())) {
            if (last.pid() != ProcessHandle.current().pid() && FileLocks.isHolder(last.pid())) {
                throw new LockedException(last.pid(), hostName);
            }
            return;
        }
        boolean rebooted = sameInstallation
                && !here.productUuid().isEmpty()
                && last.productUuid().equals(here.productUuid());
        if (!rebooted) {
            new Incumbent(store, hostId, loaded, hostName).refuseElsewhere(last);
        }
    }

    private void refuseElsewhere(LogRecord.IncarnationOpened last) throws IOException {
        BlobInfo newest = Heartbeat.newest(store, hostId);
        Heartbeat word = newest == null ? null : read(newest.key());
        long committedMs = committedMs();
        long heardMs = newest == null ? committedMs : Math.max(committedMs, newest.modifiedMs());
        boolean hasEnded =
                newest != null && word != null && !word.state().continues() && heardMs == newest.modifiedMs();
        if (hasEnded) {
            return;
        }
        long lockedMs = SILENT_INTERVALS * (word == null ? Heartbeat.USUAL_INTERVAL_MS : word.intervalMs());
        long leftMs = heardMs + lockedMs - store.nowMs();
        if (leftMs > 0) { // also of one that was heard ahead: the store's clock was set back, or counts whole seconds
            throw new LockedException(hostName, last, Math.max(0, lockedMs - leftMs), leftMs);
        }
    }

    private @Nullable Heartbeat read(String key) throws IOException {
        try {
            return Heartbeat.get(store, key);
        } catch (CorruptArchiveException | NoSuchBlobException e) {
            return null; // that it was put counts, and when
        }
    }

    /** Returns when the store took the newest commit. */
    private long committedMs() throws IOException {
        long committedMs = Long.MIN_VALUE / 2;
        String before = ArchiveLayout.commit(hostId, loaded.seq() - 1);
        for (BlobInfo commit : BlobList.all(store, ArchiveLayout.log(hostId), before)) {
            committedMs = commit.modifiedMs();
        }
        return committedMs;
    }
}
