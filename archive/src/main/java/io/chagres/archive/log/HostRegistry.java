package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the hosts of an archive by their owner records: {@code key=value} lines in UTF-8. A host keeps its minted id
 * whatever it is called; a clone of its machine gets another. Stateless.
 */
public final class HostRegistry {
    private static final int MAX_BYTES = 64 * 1024;

    /**
     * Is the owner record of a host. Immutable.
     *
     * @param id the minted id
     * @param name the name it was first given
     * @param machineId /etc/machine-id of its machine
     * @param productUuid DMI product UUID of its machine, empty when unknown
     * @param createdMs when it was minted
     */
    public record Owner(String id, String name, String machineId, String productUuid, long createdMs) {
        boolean isOf(Machine machine) {
            boolean sameMachine = machineId.equals(machine.machineId());
            boolean uuidsKnown = !productUuid.isEmpty() && !machine.productUuid().isEmpty();
            return sameMachine && (!uuidsKnown || productUuid.equals(machine.productUuid()));
        }
    }

    private HostRegistry() {}

    /** Returns all hosts of an archive in the order of their ids. */
    public static List<Owner> hosts(BlobStore store) throws IOException {
        List<Owner> owners = new ArrayList<>();
        for (String id : store.children(ArchiveLayout.HOSTS)) {
            Owner owner = owner(store, id);
            if (owner != null) {
                owners.add(owner);
            }
        }
        return owners;
    }

    /** Returns the owner record of a host, or null when it has none. */
    public static @Nullable Owner owner(BlobStore store, String hostId) throws IOException {
        byte[] bytes = new byte[MAX_BYTES];
        int length;
        try {
            length = store.get(ArchiveLayout.owner(hostId), 0, MemorySegment.ofArray(bytes));
        } catch (NoSuchBlobException e) {
            return null;
        }
        Map<String, String> values = new HashMap<>();
        new String(bytes, 0, Math.max(0, length), StandardCharsets.UTF_8).lines().forEach(line -> {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        });
        long created;
        try {
            created = Long.parseLong(values.getOrDefault("created", "0"));
        } catch (NumberFormatException e) {
            created = 0;
        }
        return new Owner(
                hostId,
                values.getOrDefault("name", hostId),
                values.getOrDefault("machine-id", ""),
                values.getOrDefault("product-uuid", ""),
                created);
    }

    /**
     * Finds the host a shipper writes as, or mints one.
     *
     * @param name the host's name
     * @param remembered the id the state directory remembers, or null
     */
    public static String findOrMint(
            BlobStore store, String name, Machine machine, @Nullable String remembered, long nowMs)
            throws IOException {
        if (remembered != null) {
            Owner owner = owner(store, remembered);
            if (owner != null && owner.isOf(machine)) {
                return remembered;
            }
        }
        for (Owner owner : hosts(store)) {
            if (owner.name().equals(name) && owner.isOf(machine)) {
                return owner.id();
            }
        }
        return mint(store, name, machine, nowMs);
    }

    private static String mint(BlobStore store, String name, Machine machine, long nowMs) throws IOException {
        SecureRandom random = new SecureRandom();
        while (true) {
            String id = ArchiveLayout.hex(random.nextLong());
            String text = "format=1\nname=" + name.replace('\n', ' ') + "\nmachine-id=" + machine.machineId()
                    + "\nproduct-uuid=" + machine.productUuid() + "\ncreated=" + nowMs + "\n";
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (store.putIfAbsent(ArchiveLayout.owner(id), MemorySegment.ofArray(bytes))) {
                return id;
            }
        }
    }
}
