package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistration;
import io.chagres.archive.LogRecord;
import io.chagres.archive.find.LineFilters;
import io.chagres.archive.read.FrameCheck;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Mends what is beside the log of a host: makes again what follows from the log, finds what is damaged and only saves
 * time, and what describes a log that is not there. Confined to one thread.
 */
final class HostMend {
    /** Reads an object to its end. */
    @FunctionalInterface
    interface Check {
        void run() throws IOException;
    }

    /** Does a check, and keeps what it finds damaged. */
    @FunctionalInterface
    interface Checker {
        void check(String key, Check check) throws IOException;
    }

    private final BlobStore store;
    private final String hostId;
    private final Repair.Listener listener;
    private @Nullable HostRegistration registration;
    private boolean recordIsMissing;
    private boolean nameIsMissing;

    HostMend(BlobStore store, String hostId, Repair.Listener listener) {
        this.store = store;
        this.hostId = hostId;
        this.listener = listener;
    }

    /** Checks what saves time, and what a shipper said of itself. */
    void checkCaches(Checker damaged) throws IOException {
        for (BlobInfo object : store.list(ArchiveLayout.filters(hostId), null)) {
            damaged.check(object.key(), () -> LineFilters.check(store, object));
        }
        for (BlobInfo object : store.list(ArchiveLayout.indexes(hostId), null)) {
            damaged.check(object.key(), () -> {
                if (store.size(object.key()) != 0) { // that of a host without versions has no frame
                    FrameCheck.check(store, object.key());
                }
            });
        }
        for (BlobInfo object : store.list(ArchiveLayout.heartbeats(hostId), null)) {
            damaged.check(object.key(), () -> Heartbeat.get(store, object.key()));
        }
    }

    /** Finds out by what the host should be found; returns whether anything of that is to be put. */
    boolean plan(HostState state) throws IOException {
        registration = HostRegistration.recorded(store, hostId);
        LogRecord.IncarnationOpened writer = state.lastIncarnation();
        if (registration == null) {
            recordIsMissing = true;
            registration = writer == null ? null : HostRegistration.derived(store, hostId, writer);
        }
        HostRegistration known = registration;
        nameIsMissing = known != null && store.size(known.nameKey()) < 0;
        if (known == null) {
            listener.step(
                    Repair.Action.LOSS,
                    ArchiveLayout.owner(hostId),
                    "it is damaged or missing, and nothing that is left of the log says whose host it is",
                    "a shipper that lost its state does not find this host");
        }
        return known != null && (recordIsMissing || nameIsMissing);
    }

    /** Returns the objects that are to be put. */
    List<String> puts() {
        List<String> keys = new ArrayList<>();
        HostRegistration known = registration;
        if (known != null && recordIsMissing) {
            keys.add(ArchiveLayout.owner(hostId));
        }
        if (known != null && nameIsMissing) {
            keys.add(known.nameKey());
        }
        return keys;
    }

    /** Puts them; what was damaged must be gone. */
    void put() throws IOException {
        HostRegistration known = registration;
        if (known != null && recordIsMissing) {
            known.mendRecord(store);
        }
        if (known != null && nameIsMissing) {
            known.mendName(store);
        }
    }

    /** Adds what names commits behind the last one: it is of no use, and hides that the log ends there. */
    void addAhead(long last, Map<String, String> damaged) throws IOException {
        for (String key : LogWitness.ahead(store, hostId, last)) {
            damaged.putIfAbsent(key, "it names a commit that is missing");
        }
    }

    /**
     * Notes for those who remove what nothing refers to that objects were missing when this host was repaired.
     *
     * @param keys of commits and checkpoints
     */
    void note(Iterable<String> keys) throws IOException {
        BlobStore stored = store.stored();
        for (String key : keys) {
            if (key.startsWith(ArchiveLayout.log(hostId)) && isMissing(stored, key)) {
                stored.putIfAbsent(ArchiveLayout.QUARANTINE + key, MemorySegment.ofArray(new byte[0]));
            }
        }
    }

    /** What is no object holds nothing. */
    private static boolean isMissing(BlobStore stored, String key) throws IOException {
        try {
            return stored.size(key) < 0;
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.NO_OBJECT) {
                throw e;
            }
            return true;
        }
    }

    /** Returns which commits are missing at the end of the log, be it all; null for none. */
    @Nullable
    CorruptArchiveException gap() throws IOException {
        return LogWitness.unbegun(store, hostId);
    }
}
