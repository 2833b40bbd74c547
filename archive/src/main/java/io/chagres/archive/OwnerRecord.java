package io.chagres.archive;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * The machine of a host id. Immutable.
 *
 * @param name what the host is called
 * @param machineId of its machine
 * @param productUuid of its hardware, empty when it is not known
 * @param continues id of the host that it continues, empty for none
 * @param createdMs when it was made, milliseconds since 1970
 */
record OwnerRecord(String name, String machineId, String productUuid, String continues, long createdMs) {
    /** A damaged one is nobody's. */
    static final OwnerRecord DAMAGED = new OwnerRecord("", "\n", "", "", 0);

    private static final String WHAT = "owner record";
    private static final String CONTINUES = "continues";
    private static final String CREATED = "created";

    /** Returns that of a host; null when it has none, {@link #DAMAGED} when it is something else. */
    static @Nullable OwnerRecord get(BlobStore store, String hostId) throws IOException {
        try {
            return read(store, hostId);
        } catch (NoSuchBlobException e) {
            return null;
        } catch (CorruptArchiveException e) {
            return DAMAGED;
        }
    }

    /**
     * Reads that of a host.
     *
     * @throws NoSuchBlobException when it has none
     * @throws CorruptArchiveException when it is something else
     */
    static OwnerRecord read(BlobStore store, String hostId) throws IOException {
        TextRecord record = TextRecord.get(store, ArchiveLayout.owner(hostId), WHAT);
        String continues = record.text(CONTINUES);
        return new OwnerRecord(
                record.text("name"),
                record.text("machine-id"),
                record.text("product-uuid"),
                ArchiveLayout.isHostId(continues) ? continues : "",
                record.number(CREATED, 0, Long.MAX_VALUE));
    }

    /** Puts it unless the host has one; returns whether it had none. */
    boolean put(BlobStore store, String hostId) throws IOException {
        TextRecord record = new TextRecord()
                .with("name", name)
                .with("machine-id", machineId)
                .with("product-uuid", productUuid);
        if (!continues.isEmpty()) {
            record.with(CONTINUES, continues);
        }
        return record.with(CREATED, createdMs).put(store, ArchiveLayout.owner(hostId));
    }

    @SuppressWarnings("ReferenceEquality") // a damaged one is one object
    boolean isDamaged() {
        return this == DAMAGED;
    }

    /** Returns the key by which the host is found. */
    HostKey key(String hostId) {
        return new HostKey(name, hash(machineId), hash(productUuid), hostId);
    }

    /** Returns the id that follows from its owner and from a text that distinguishes the hosts of one machine. */
    String derivedId(String apart) {
        return ArchiveLayout.hex(hash(name + "\n" + machineId + "\n" + productUuid + "\n" + apart));
    }

    /**
     * Says whether it is another host's than the one whose log a writer wrote: of another machine, or the id follows
     * from the writer's name and not from the name here. A host whose name somebody changed keeps its record.
     */
    boolean contradicts(String hostId, LogRecord.IncarnationOpened writer) {
        Machine machine = new Machine(writer.hostName(), writer.machineId(), writer.productUuid(), writer.bootId(), "");
        if (!isOf(machine)) {
            return true;
        }
        String called = TextRecord.line(writer.hostName());
        OwnerRecord written = new OwnerRecord(called, writer.machineId(), writer.productUuid(), continues, 0);
        return !name.equals(called) && !mayDerive(hostId) && written.mayDerive(hostId);
    }

    private boolean mayDerive(String hostId) {
        for (int attempt = 0; attempt < HostRegistry.MAX_ATTEMPTS; attempt++) {
            if (derivedId(Integer.toString(attempt)).equals(hostId)) {
                return true;
            }
        }
        return !continues.isEmpty() && derivedId(continues).equals(hostId);
    }

    /** Clones of an image share the machine id; only the product UUID, where it can be read, tells them apart. */
    boolean isOf(Machine machine) {
        boolean uuidsKnown = !productUuid.isEmpty() && !machine.productUuid().isEmpty();
        return machineId.equals(machine.machineId()) && (!uuidsKnown || productUuid.equals(machine.productUuid()));
    }

    /** Returns the first 8 bytes of the SHA-256; 0 for what is not known. */
    static long hash(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
