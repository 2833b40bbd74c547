package io.chagres.archive;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the hosts of an archive by their owner records: {@code key=value} lines in UTF-8. A host keeps its minted id
 * when its state is lost; a clone of its machine gets another. Stateless, safe for any thread.
 */
public final class HostRegistry {
    private static final int MAX_BYTES = 64 * 1024;
    private static final String FORMAT = "1";
    private static final String DESCRIPTION = "{\"format\": 1}\n";

    /**
     * The owner record of a host. Immutable.
     *
     * @param id the minted id, 16 hexadecimal digits
     * @param name what the host is called: always a possible file name; the id when the record holds no such name
     * @param machineId /etc/machine-id of its machine
     * @param productUuid DMI product UUID of its machine, empty when unknown
     * @param createdMs when it was minted, milliseconds since 1970
     * @param fault why the record could not be read; null when it could. Then nothing but the id is known
     */
    public record Owner(
            String id,
            String name,
            String machineId,
            String productUuid,
            long createdMs,
            @Nullable IOException fault) {
        /** Makes the owner record of a host as it was read. */
        public Owner(String id, String name, String machineId, String productUuid, long createdMs) {
            this(id, name, machineId, productUuid, createdMs, null);
        }

        private static Owner unknown(String id, IOException fault) {
            return new Owner(id, id, "", "", 0, fault);
        }

        /** Returns what the host is called, and its id, for messages: {@code host web1 (00ff00ff00ff00ff)}. */
        public String title() {
            return name.equals(id) ? "host " + id : "host " + name + " (" + id + ")";
        }

        /** Clones of an image share the machine id; only the product UUID, where it can be read, tells them apart. */
        boolean isOf(Machine machine) {
            boolean uuidsKnown =
                    !productUuid.isEmpty() && !machine.productUuid().isEmpty();
            return machineId.equals(machine.machineId()) && (!uuidsKnown || productUuid.equals(machine.productUuid()));
        }
    }

    private HostRegistry() {}

    /** Returns all hosts of an archive in the order of their ids. */
    public static List<Owner> hosts(BlobStore store) throws IOException {
        List<Owner> owners = new ArrayList<>();
        for (String id : store.children(ArchiveLayout.HOSTS)) {
            Owner owner = ArchiveLayout.isHostId(id) ? owner(store, id) : null;
            if (owner != null) {
                owners.add(owner);
            }
        }
        return owners;
    }

    /**
     * Returns the owner record of a host, or null when it has none. One that cannot be read is told by its fault.
     *
     * @throws IOException when the store does not answer
     */
    public static @Nullable Owner owner(BlobStore store, String hostId) throws IOException {
        String key = ArchiveLayout.owner(hostId);
        Map<String, String> values = new HashMap<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment record = arena.allocate(MAX_BYTES);
            int length = Math.max(0, store.get(key, 0, record));
            byte[] bytes = record.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            new String(bytes, StandardCharsets.UTF_8).lines().forEach(line -> {
                int equals = line.indexOf('=');
                if (equals > 0) {
                    values.put(line.substring(0, equals), line.substring(equals + 1));
                }
            });
        } catch (NoSuchBlobException e) {
            return null;
        } catch (StoreException e) {
            requireAnswer(store, e);
            return Owner.unknown(hostId, e);
        }
        if (!FORMAT.equals(values.get("format"))) {
            return Owner.unknown(hostId, new CorruptArchiveException(key, "it is no owner record of this format"));
        }
        String name = values.getOrDefault("name", "");
        return new Owner(
                hostId,
                isFileName(name) ? name : hostId,
                values.getOrDefault("machine-id", ""),
                values.getOrDefault("product-uuid", ""),
                number(values.getOrDefault("created", "0")));
    }

    /**
     * Says whose fault a refusal is: returns when the store answers otherwise, so that only what was asked for cannot
     * be read. One list at most.
     *
     * @throws IOException the refusal, when the store answers nothing
     */
    public static void requireAnswer(BlobStore store, StoreException refusal) throws IOException {
        if (refusal.isLasting()) {
            return; // it is an answer
        }
        try {
            store.children(ArchiveLayout.HOSTS);
        } catch (IOException e) {
            refusal.addSuppressed(e);
            throw refusal;
        }
    }

    private static boolean isFileName(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.indexOf('/') < 0
                && name.codePoints().allMatch(Pathname::isShown);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /**
     * Finds the host a shipper writes as, or mints one.
     *
     * @param name what the host is called
     * @param remembered the id the state directory remembers, or null; it does not count on another machine
     * @param nowMs the wall clock, milliseconds since 1970
     * @return the host id
     */
    public static String findOrMint(
            BlobStore store, String name, Machine machine, @Nullable String remembered, long nowMs) throws IOException {
        if (remembered != null && ArchiveLayout.isHostId(remembered)) {
            Owner owner = owner(store, remembered);
            if (owner != null && owner.fault() instanceof StoreException refused) {
                throw refused; // whether it is this machine's is not known
            }
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
        put(store, ArchiveLayout.DESCRIPTION, DESCRIPTION);
        String record = "format=" + FORMAT + "\nname=" + line(name) + "\nmachine-id=" + line(machine.machineId())
                + "\nproduct-uuid=" + line(machine.productUuid()) + "\ncreated=" + nowMs + "\n";
        SecureRandom random = new SecureRandom();
        while (true) {
            String id = ArchiveLayout.hex(random.nextLong());
            if (put(store, ArchiveLayout.owner(id), record)) {
                return id;
            }
        }
    }

    private static String line(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().map(c -> Pathname.isShown(c) ? c : ' ').forEach(line::appendCodePoint);
        return line.toString();
    }

    private static boolean put(BlobStore store, String key, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (Arena arena = Arena.ofConfined()) {
            return store.putIfAbsent(key, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
        }
    }
}
