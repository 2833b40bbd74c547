package io.chagres.archive;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The two objects by which a host is found: its owner record, and the key of its name. Each follows from the other or
 * from the log, so that either can be put again. Immutable, safe for any thread.
 */
public final class HostRegistration {
    private final String hostId;
    private final OwnerRecord record;

    private HostRegistration(String hostId, OwnerRecord record) {
        this.hostId = hostId;
        this.record = record;
    }

    /** Returns what a host's owner record says; null when that is missing or damaged. */
    public static @Nullable HostRegistration recorded(BlobStore store, String hostId) throws IOException {
        OwnerRecord record = OwnerRecord.get(store, hostId);
        return record == null || record.isDamaged() ? null : new HostRegistration(hostId, record);
    }

    /** Returns what follows from what a host's log says of its writer. */
    public static HostRegistration derived(BlobStore store, String hostId, LogRecord.IncarnationOpened writer)
            throws IOException {
        OwnerRecord record = new OwnerRecord(
                TextRecord.line(writer.hostName()), writer.machineId(), writer.productUuid(), "", writer.timeMs());
        Set<String> others = new TreeSet<>(store.children(ArchiveLayout.HOSTS));
        HostRegistry.hosts(store).forEach(other -> others.add(other.id()));
        for (String other : others) {
            if (record.derivedId(other).equals(hostId)) { // as HostRegistry.continued made it
                return new HostRegistration(
                        hostId,
                        new OwnerRecord(
                                record.name(), record.machineId(), record.productUuid(), other, record.createdMs()));
            }
        }
        return new HostRegistration(hostId, record);
    }

    /** Says whether it is another host's than the one whose log a writer wrote. */
    public boolean contradicts(LogRecord.IncarnationOpened writer) {
        return record.contradicts(hostId, writer);
    }

    /** Returns the id of the host. */
    public String hostId() {
        return hostId;
    }

    /** Returns when the host was made, milliseconds since 1970 by the clock of its writer. */
    public long createdMs() {
        return record.createdMs();
    }

    /** Returns the key of the name. */
    public String nameKey() {
        return record.key(hostId).text();
    }

    /** Returns the registration of a shipper whose host has another record, or a damaged one. */
    public static HostRegistration of(String hostId, String name, Machine machine, long nowMs) {
        return new HostRegistration(
                hostId, new OwnerRecord(TextRecord.line(name), machine.machineId(), machine.productUuid(), "", nowMs));
    }

    /** Puts the missing ones of both; two requests when none is. An object that is there and damaged stays. */
    public void keep(BlobStore store) throws IOException {
        putName(store);
        if (!store.exists(ArchiveLayout.owner(hostId))) {
            record.put(store, hostId);
        }
    }

    /**
     * Puts the key of the name, also where something that is no object has its place.
     *
     * @throws StoreException when that cannot be removed
     */
    public void mendName(BlobStore store) throws IOException {
        if (putName(store)) {
            return;
        }
        store.delete(nameKey());
        if (!putName(store)) {
            throw new StoreException(
                    store.name() + ": " + nameKey() + " came back; it is there, or repair puts it the next time");
        }
    }

    /**
     * Puts the owner record.
     *
     * @throws StoreException when something has its place
     */
    public void mendRecord(BlobStore store) throws IOException {
        if (!record.put(store, hostId)) {
            throw new StoreException(store.name() + ": " + ArchiveLayout.owner(hostId) + " came back; repair again");
        }
    }

    boolean putName(BlobStore store) throws IOException {
        return store.putIfAbsent(nameKey(), MemorySegment.ofArray(new byte[0]));
    }
}
