package io.chagres.archive;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ConditionProbe;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the hosts of an archive. A host has two objects: an empty one whose key says its name, its machine and its id,
 * and its owner record, which says whose the id is. A host keeps its id when its state is lost; a clone of its machine
 * gets another. Stateless, safe for any thread.
 */
public final class HostRegistry {
    /** Where readers put what is gone, beside the directories of hosts: no host is called so. */
    public static final String GONE = ".gone";

    static final int MAX_ATTEMPTS = 16;

    /** A host as a listing of an archive has it. Immutable.
     *
     * @param id 16 hexadecimal digits
     * @param name what the host is called: always a possible file name; the id when it has no such name
     * @param createdMs when the store first heard of it, milliseconds since 1970 by the store's clock
     */
    public record Owner(String id, String name, long createdMs) {
        /** The order in which people read hosts: one that continues another of its name comes behind it. */
        public static final Comparator<Owner> BY_NAME = Comparator.comparing(Owner::name)
                .thenComparingLong(Owner::createdMs)
                .thenComparing(Owner::id);

        /** Returns what the host is called, and its id, for messages: {@code host web1 (00ff00ff00ff00ff)}. */
        public String title() {
            return name.equals(id) ? "host " + id : "host " + name + " (" + id + ")";
        }
    }

    private HostRegistry() {}

    /**
     * Returns all hosts of an archive in the order of their ids: those that have a key of their name, and those that
     * only have objects. Two lists; of hosts without such a key the owner record is read.
     */
    public static List<Owner> hosts(BlobStore store) throws IOException {
        Map<String, Owner> found = named(store);
        for (String id : store.children(ArchiveLayout.HOSTS)) {
            Owner unlisted = !ArchiveLayout.isHostId(id) || found.containsKey(id) ? null : unlisted(store, id);
            if (unlisted != null) {
                found.put(id, unlisted);
            }
        }
        return new ArrayList<>(found.values());
    }

    /** Returns the hosts that have a key of their name, for those who may list no others: a list of keys. */
    public static List<Owner> listed(BlobStore store) throws IOException {
        return new ArrayList<>(named(store).values());
    }

    private static Map<String, Owner> named(BlobStore store) throws IOException {
        Map<String, Owner> found = new TreeMap<>();
        Set<String> disputed = new TreeSet<>();
        for (BlobInfo object : BlobList.all(store, ArchiveLayout.NAMES, null)) {
            HostKey key = HostKey.parse(object.key());
            if (key != null) {
                Owner owner = owner(key, object.modifiedMs());
                Owner other = found.putIfAbsent(owner.id(), owner);
                if (other != null && !other.name().equals(owner.name())) {
                    disputed.add(owner.id());
                }
            }
        }
        for (String id : disputed) { // somebody gave it another name; its record knows
            found.computeIfPresent(id, (same, owner) -> new Owner(id, nameOf(store, id), owner.createdMs()));
        }
        return found;
    }

    /**
     * Returns the hosts of a name, and the host of this id, in the order of their ids: a list of few keys, and a
     * request for each. Where lists cost nothing, or no key has the name, all hosts are listed: a host may have lost
     * its key.
     */
    public static List<Owner> hosts(BlobStore store, String name) throws IOException {
        Map<String, Owner> found = new TreeMap<>();
        for (BlobInfo object : BlobList.all(store, HostKey.prefix(name), null)) {
            HostKey key = HostKey.parse(object.key());
            String recorded = key == null ? "" : nameOf(store, key.hostId());
            if (key != null && (recorded.equals(name) || recorded.equals(key.hostId()))) {
                found.put(key.hostId(), owner(key, object.modifiedMs()));
            }
        }
        Owner ofId = ArchiveLayout.isHostId(name) ? unlisted(store, name) : null;
        if (ofId != null) {
            found.putIfAbsent(name, ofId);
        }
        if (found.isEmpty() || store.traits().isLocal()) {
            for (Owner each : hosts(store)) {
                if (each.name().equals(name) || each.id().equals(name)) {
                    found.putIfAbsent(each.id(), each);
                }
            }
        }
        return new ArrayList<>(found.values());
    }

    /** Returns a host that has no key of its name, by its owner record or its id; null when nothing is of it. */
    private static @Nullable Owner unlisted(BlobStore store, String hostId) throws IOException {
        try {
            OwnerRecord record = OwnerRecord.get(store, hostId);
            if (record == null && BlobList.first(store, ArchiveLayout.host(hostId)) == null) {
                return null; // an empty directory
            }
            return new Owner(hostId, nameOf(record, hostId), record == null ? 0 : record.createdMs());
        } catch (StoreException e) {
            requireAnswer(store, e);
            return new Owner(hostId, hostId, 0); // something is there, and its readers say what
        }
    }

    private static Owner owner(HostKey key, long createdMs) {
        return new Owner(key.hostId(), isFileName(key.name()) ? key.name() : key.hostId(), createdMs);
    }

    /** Returns the name in an owner record; the id when it cannot be read, or holds none. */
    private static String nameOf(BlobStore store, String hostId) {
        try {
            return nameOf(OwnerRecord.get(store, hostId), hostId);
        } catch (IOException e) {
            return hostId;
        }
    }

    private static String nameOf(@Nullable OwnerRecord record, String hostId) {
        return record != null && isFileName(record.name()) ? record.name() : hostId;
    }

    /**
     * Returns what an owner record calls its host.
     *
     * @throws NoSuchBlobException when there is none
     * @throws CorruptArchiveException when it is damaged
     */
    public static String recordedName(BlobStore store, String hostId) throws IOException {
        return OwnerRecord.read(store, hostId).name();
    }

    /**
     * Says whose fault a refusal is: returns when the store answers otherwise, so that only what was asked for cannot
     * be read. One request at most. A store that has too much to do has said nothing of what was asked for.
     *
     * @throws IOException the refusal, when the store answers nothing
     */
    public static void requireAnswer(BlobStore store, StoreException refusal) throws IOException {
        if (refusal.isAway()) {
            throw refusal;
        }
        if (refusal.isLasting()) {
            return; // it is an answer
        }
        try {
            store.size(ConditionProbe.KEY);
        } catch (IOException e) {
            refusal.addSuppressed(e);
            throw refusal;
        }
    }

    /**
     * Says that what was asked for cannot be read, as {@link #requireAnswer} does, and that this is known of it.
     *
     * @throws IOException the refusal, also when the store keeps the object and does not give it now: a caller that
     *     acts on damage must not act on that
     */
    public static void requireDamage(BlobStore store, StoreException refusal) throws IOException {
        if (refusal.isUnanswered()) {
            throw refusal;
        }
        requireAnswer(store, refusal);
    }

    private static boolean isFileName(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && !name.equals(GONE)
                && name.indexOf('/') < 0
                && name.codePoints().allMatch(Pathname::isShown);
    }

    /** Says whether a name is short enough to be one of a host. */
    public static boolean fits(String name) {
        return HostKey.fits(TextRecord.line(name));
    }

    /**
     * Finds the host a shipper writes as, or mints one. If it ends anywhere on the way, the next call finds or mints
     * the same host: the id of a new host follows from its name and its machine, and its key is put before its record.
     *
     * @param name what the host is called
     * @param remembered the id the state directory remembers, or null; it does not count on another machine
     * @param nowMs the wall clock, milliseconds since 1970
     * @return the host id
     */
    public static String findOrMint(
            BlobStore store, String name, Machine machine, @Nullable String remembered, long nowMs) throws IOException {
        String called = TextRecord.line(name);
        if (remembered != null && ArchiveLayout.isHostId(remembered)) {
            OwnerRecord claim = OwnerRecord.get(store, remembered);
            if (claim != null && claim.isOf(machine)) {
                put(store, claim.key(remembered));
                return remembered;
            }
        }
        List<String> ours = new ArrayList<>();
        for (BlobInfo object :
                BlobList.all(store, HostKey.prefix(called, OwnerRecord.hash(machine.machineId())), null)) {
            HostKey key = HostKey.parse(object.key());
            if (key != null && key.mayBeOf(OwnerRecord.hash(machine.productUuid()))) {
                String found = take(store, key.hostId(), called, machine, "", nowMs);
                if (found != null) {
                    ours.add(found);
                }
            }
        }
        if (!ours.isEmpty()) {
            return latest(store, ours);
        }
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            String id = take(store, derived(called, machine, attempt), called, machine, "", nowMs);
            if (id != null) {
                return id;
            }
        }
        throw noId(store, called);
    }

    /**
     * Finds the host that a machine ships as under a name, and makes none.
     *
     * @return its id; null when it has none there
     */
    public static @Nullable String ofMachine(BlobStore store, String name, Machine machine) throws IOException {
        String called = TextRecord.line(name);
        List<String> ours = new ArrayList<>();
        for (BlobInfo object :
                BlobList.all(store, HostKey.prefix(called, OwnerRecord.hash(machine.machineId())), null)) {
            HostKey key = HostKey.parse(object.key());
            OwnerRecord record = key == null ? null : OwnerRecord.get(store, key.hostId());
            if (key != null
                    && record != null
                    && record.isOf(machine)
                    && record.name().equals(called)) {
                ours.add(key.hostId());
            }
        }
        return ours.isEmpty() ? null : latest(store, ours);
    }

    /**
     * Makes another host of a name, for a shipper that cannot read what the host says that it is.
     *
     * @return its id
     */
    public static String mintAnother(BlobStore store, String name, Machine machine, long nowMs) throws IOException {
        String called = TextRecord.line(name);
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            String derived = derived(called, machine, attempt);
            if (OwnerRecord.get(store, derived) == null) {
                String id = take(store, derived, called, machine, "", nowMs);
                if (id != null) {
                    return id;
                }
            }
        }
        throw noId(store, called);
    }

    private static String derived(String name, Machine machine, int attempt) {
        return new OwnerRecord(name, machine.machineId(), machine.productUuid(), "", 0)
                .derivedId(Integer.toString(attempt));
    }

    private static StoreException noId(BlobStore store, String name) {
        return new StoreException(store.name() + ": every id that host " + name + " may have belongs to another one;"
                + " give one by --host-id");
    }

    /**
     * Makes a host of a given id, or finds it.
     *
     * @param hostId 16 hexadecimal digits
     * @throws StoreException when it belongs to another machine, or has another name
     */
    public static void claim(BlobStore store, String hostId, String name, Machine machine, long nowMs)
            throws IOException {
        if (take(store, hostId, TextRecord.line(name), machine, "", nowMs) == null) {
            OwnerRecord claim = OwnerRecord.get(store, hostId);
            throw new StoreException(store.name() + ": host id " + hostId
                    + (claim != null && claim.isOf(machine)
                            ? " is this machine's under the name " + claim.name() + ". Nothing was written; give that"
                                    + " name by --host, or another --host-id"
                            : " belongs to another machine. Nothing was written; give another --host-id"));
        }
    }

    /** Returns the first that no other one continues. */
    private static String latest(BlobStore store, List<String> hostIds) throws IOException {
        Set<String> continued = new TreeSet<>();
        for (String id : hostIds.size() == 1 ? List.<String>of() : hostIds) {
            continued.add(continues(store, id));
        }
        return hostIds.stream()
                .filter(id -> !continued.contains(id))
                .findFirst()
                .orElse(hostIds.getFirst());
    }

    /** Says whether a host has the key of the name in its owner record. */
    public static boolean isListed(BlobStore store, String hostId) throws IOException {
        OwnerRecord claim = OwnerRecord.get(store, hostId);
        try {
            return claim != null && store.exists(claim.key(hostId).text());
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.NO_OBJECT) {
                throw e;
            }
            return false;
        }
    }

    /** Returns which host one continues, whose log is damaged; empty when none. */
    public static String continues(BlobStore store, String hostId) throws IOException {
        OwnerRecord claim = OwnerRecord.get(store, hostId);
        return claim == null ? "" : claim.continues();
    }

    /**
     * Makes or finds the host that continues one whose log is damaged: on the same machine and under the same name. Its
     * id follows from theirs, so that all who try find the same.
     *
     * @throws StoreException when the id belongs to another machine
     */
    public static String continued(BlobStore store, String hostId, String name, Machine machine, long nowMs)
            throws IOException {
        String called = TextRecord.line(name);
        String derived = new OwnerRecord(called, machine.machineId(), machine.productUuid(), "", 0).derivedId(hostId);
        if (take(store, derived, called, machine, hostId, nowMs) == null) {
            throw new StoreException(store.name() + ": host id " + derived + ", which would continue host " + hostId
                    + ", belongs to another machine; give one by --host-id");
        }
        return derived;
    }

    /** Takes an id if it is free or ours already; null when it is another's. A refusal is thrown: it may be ours. */
    private static @Nullable String take(
            BlobStore store, String hostId, String name, Machine machine, String continues, long nowMs)
            throws IOException {
        OwnerRecord claim = OwnerRecord.get(store, hostId);
        OwnerRecord wanted = new OwnerRecord(name, machine.machineId(), machine.productUuid(), continues, nowMs);
        if (claim != null
                && claim.isDamaged()
                && store.exists(wanted.key(hostId).text())) {
            return hostId; // its key says so, and a damaged record says nothing else
        }
        OwnerRecord ours = claim == null ? wanted : claim;
        if (!ours.name().equals(name) || !ours.isOf(machine)) {
            return null;
        }
        put(store, ours.key(hostId));
        boolean again = claim == null && !wanted.put(store, hostId);
        return again ? take(store, hostId, name, machine, continues, nowMs) : hostId;
    }

    private static void put(BlobStore store, HostKey key) throws IOException {
        store.putIfAbsent(key.text(), MemorySegment.ofArray(new byte[0]));
    }
}
