package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.FileLocks;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the shipper of a host lives, as far as anything tells: its heartbeats, what the log says of its end, and its
 * process where that is on this machine. A process that is not seen here proves nothing: it may be in a container.
 *
 * @param sign by what it is known to live; null for nothing
 * @param doubt why it may live all the same; null if it has ended
 */
record ShipperLife(@Nullable String sign, @Nullable String doubt) {
    private static final int SILENT_INTERVALS = 3;

    /**
     * Looks for signs.
     *
     * @param state what is left of the host
     * @param clockMs the time here, for a store that does not say its own
     */
    static ShipperLife of(BlobStore store, String hostId, HostState state, LongSupplier clockMs) throws IOException {
        LogRecord.IncarnationOpened last = state.lastIncarnation();
        Machine here = Machine.current();
        boolean isHere = last != null
                && last.machineId().equals(here.machineId())
                && last.bootId().equals(here.bootId());
        boolean isOther = last != null && last.pid() != ProcessHandle.current().pid();
        if (last != null && isHere && isOther && FileLocks.isHolder(last.pid())) {
            return new ShipperLife(": process " + last.pid() + " of this machine", null);
        }
        BlobInfo newest = Heartbeat.newest(store, hostId);
        Heartbeat word = newest == null ? null : read(store, newest.key());
        BlobInfo commit = lastCommit(store, hostId, state.seq());
        long silenceMs = SILENT_INTERVALS * (word == null ? Heartbeat.USUAL_INTERVAL_MS : word.intervalMs());
        long toldMs = newest == null ? Long.MIN_VALUE : newest.modifiedMs();
        long committedMs = commit == null ? toldMs : commit.modifiedMs();
        boolean hasEnded;
        if (newest != null && (word == null || word.state().continues())) { // one that is not read was put all the same
            long storeMs = store.nowMs();
            long nowMs = storeMs == Long.MIN_VALUE ? clockMs.getAsLong() : storeMs;
            if (nowMs - Math.max(toldMs, committedMs) < silenceMs) {
                return new ShipperLife(": it was heard less than " + silenceMs / 1000 + " s ago", null);
            }
            hasEnded = committedMs - toldMs < silenceMs; // else one without heartbeats came then
        } else {
            hasEnded = (commit != null && closes(store, commit.key())) || (newest != null && committedMs <= toldMs);
        }
        String doubt = "no heartbeat tells whether its shipper lives, nor does its log; a host is repaired only while"
                + " nobody ships to it";
        return new ShipperLife(null, hasEnded ? null : doubt);
    }

    /** Says whether a commit is the last of its writer. */
    private static boolean closes(BlobStore store, String key) throws IOException {
        try (CommitReader reader = new CommitReader(store)) {
            CommitHeader commit = reader.read(key);
            commit.requireRecords();
            boolean closes = false;
            for (RecordReader records = commit.recordReader(); records.hasNext(); ) {
                closes = records.next() instanceof LogRecord.IncarnationClosed;
            }
            return closes;
        } catch (CorruptArchiveException | EncryptedException | NoSuchBlobException e) {
            return false;
        } catch (StoreException e) {
            HostRegistry.requireDamage(store, e);
            return false;
        }
    }

    private static @Nullable Heartbeat read(BlobStore store, String key) throws IOException {
        try {
            return Heartbeat.get(store, key);
        } catch (CorruptArchiveException | NoSuchBlobException e) {
            return null;
        }
    }

    private static @Nullable BlobInfo lastCommit(BlobStore store, String hostId, long known) throws IOException {
        BlobInfo last = null;
        String before = known == 0 ? null : ArchiveLayout.commit(hostId, known - 1);
        for (BlobInfo commit : BlobList.all(store, ArchiveLayout.log(hostId), before)) {
            last = commit;
        }
        return last;
    }

    /**
     * Does nothing unless the shipper is known to live.
     *
     * @throws StoreException when it is
     */
    void requireEnded(BlobStore store, String hostId) throws StoreException {
        if (sign != null) {
            throw new StoreException(store.name() + ": the shipper of host " + hostId + " lives" + sign
                    + ". Nothing was changed; end it, and repair the host then");
        }
    }
}
