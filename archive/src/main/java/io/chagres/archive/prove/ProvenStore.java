package io.chagres.archive.prove;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.DigestingStore;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.sign.Sha256;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreTraits;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Gives of hosts only what signatures prove, and what was written through it. It hides tables, and checkpoints,
 * histories and filters that no trusted key signed: the commits say the same, or are missing. What must be there and is
 * not proven is damaged to anybody who reads it, with the reason. Names of hosts and heartbeats are as the store has
 * them. Stands below what decrypts. Safe for any thread.
 */
public final class ProvenStore extends CachingStore {
    /** The folders of a host whose objects signatures cover. */
    private static final List<String> PROVEN = List.of("log", "checkpoints", "tables", "history", "filters", "streams");

    private static final String UNSIGNED = "no signature covers it";

    private final StableStore stable;
    private final DigestingStore digesting;
    private final BlobStore opened;
    private final Trust trust;
    private final Map<String, HostProof> hosts = new ConcurrentHashMap<>();
    /** What was written through this, by key. */
    private final Map<String, byte[]> made = new ConcurrentHashMap<>();

    private ProvenStore(BlobStore store, KeyRing keys, Trust trust) {
        super(store);
        stable = new StableStore(store);
        digesting = new DigestingStore(store, this::made);
        opened = ProtectedStore.of(stable, keys);
        this.trust = trust;
    }

    /**
     * Stands before a store.
     *
     * @param store shows by its keys what is encrypted; closed with this one
     */
    public static ProvenStore of(BlobStore store, Trust trust) {
        return new ProvenStore(ProtectedStore.stored(store), ProtectedStore.keyRing(store), trust);
    }

    /** Returns a store that gives what a trust proves of another, and decrypts as that does; closed with it. */
    public static BlobStore proving(BlobStore store, Trust trust) {
        return ProtectedStore.of(of(store, trust), ProtectedStore.keyRing(store));
    }

    /**
     * Requires that a host has the name by which it was found: where what is read is proven the keys that tell names
     * are not, but the host's own records are.
     *
     * @param store what the host is read from
     * @param state what its log adds up to
     */
    public static void requireName(BlobStore store, HostRegistry.Owner host, HostState state)
            throws CorruptArchiveException {
        LogRecord.IncarnationOpened writer = store.traits().isProven() ? state.lastIncarnation() : null;
        if (writer != null && !List.of(writer.hostName(), host.id()).contains(host.name())) {
            throw new CorruptArchiveException(
                    ArchiveLayout.NAMES,
                    "a key there calls host " + host.id() + " " + host.name() + ", which calls itself "
                            + writer.hostName());
        }
    }

    @Override
    public StoreTraits traits() {
        return store.traits().proven();
    }

    /** Returns what signatures prove of a host. */
    HostProof host(String hostId) {
        return hosts.computeIfAbsent(hostId, id -> new HostProof(stable, opened, id, trust));
    }

    /** Returns the SHA-256 of an object that is proven or was made here; null for another. */
    byte @Nullable [] sha256(String hostId, String key) throws IOException {
        byte[] own = made.get(key);
        HostProof.Covered signed = own == null ? host(hostId).covered(key) : null;
        return signed == null ? own : signed.sha256();
    }

    /** Returns the host of an object that a signature must cover; null when the key is something else. */
    private static @Nullable String hostOf(String key) {
        String[] parts = key.split("/", 4);
        boolean isOfHost = key.startsWith(ArchiveLayout.HOSTS) && parts.length == 4 && PROVEN.contains(parts[2]);
        return isOfHost ? parts[1] : null;
    }

    private static boolean isCommit(String hostId, String key) {
        return key.startsWith(ArchiveLayout.log(hostId));
    }

    private static long seqOf(String key) {
        return ArchiveLayout.seqOf(key).orElse(0);
    }

    /** Requires that an object is what was signed. */
    private void require(String key) throws IOException {
        String hostId = hostOf(key);
        if (hostId == null) {
            return;
        }
        if (isCommit(hostId, key)) {
            if (seqOf(key) <= 0 || !host(hostId).isCommit(seqOf(key))) {
                throw new NoSuchBlobException(key);
            }
            String fault = host(hostId).fault(seqOf(key));
            if (fault != null) {
                throw new CorruptArchiveException(key, "it is not proven: " + fault);
            }
        }
        byte[] own = made.get(key);
        if (own == null && host(hostId).covered(key) == null) {
            if (ArchiveLayout.isData(key)) {
                throw new CorruptArchiveException(key, UNSIGNED);
            }
            throw new NoSuchBlobException(key);
        }
        String fault = own == null ? host(hostId).faultOf(key) : host(hostId).is(key, own) ? null : "it was replaced";
        if (fault != null) {
            throw new CorruptArchiveException(key, fault);
        }
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        if (hostOf(key) == null) {
            return store.get(key, offset, target);
        }
        require(key);
        return stable.get(key, offset, target);
    }

    @Override
    public long size(String key) throws IOException {
        if (hostOf(key) == null) {
            return store.size(key);
        }
        try {
            require(key);
        } catch (NoSuchBlobException e) {
            return -1;
        }
        return stable.size(key);
    }

    @Override
    public boolean exists(String key) throws IOException {
        String hostId = hostOf(key);
        if (hostId == null) {
            return store.exists(key);
        }
        if (isCommit(hostId, key)) {
            return host(hostId).isCommit(seqOf(key));
        }
        return sha256(hostId, key) != null;
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        return prefix.startsWith(ArchiveLayout.HOSTS) || prefix.startsWith(ArchiveLayout.COMPACTED)
                ? BlobPage.of(proven(prefix, afterKey), maxObjects)
                : store.page(prefix, afterKey, maxObjects);
    }

    private List<BlobInfo> proven(String prefix, @Nullable String afterKey) throws IOException {
        String[] parts = prefix.split("/", 4);
        boolean isOfHost = parts.length > 2 && ArchiveLayout.isHostId(parts[1]);
        if (isOfHost && prefix.equals(ArchiveLayout.log(parts[1]))) {
            return commits(parts[1], afterKey);
        }
        if (isOfHost && prefix.equals(ArchiveLayout.marks(parts[1]))) {
            return marks(parts[1], afterKey);
        }
        if (isOfHost && prefix.equals(ArchiveLayout.checkpoints(parts[1]))) {
            host(parts[1]).forget(); // who asks for checkpoints begins anew
        }
        List<BlobInfo> all = BlobList.all(store, prefix, afterKey);
        if (!prefix.startsWith(ArchiveLayout.HOSTS)) {
            return all;
        }
        List<BlobInfo> shown = new ArrayList<>();
        for (BlobInfo each : all) {
            String hostId = hostOf(each.key());
            boolean isShown = hostId == null
                    || (isCommit(hostId, each.key())
                            ? host(hostId).isCommit(seqOf(each.key()))
                            : sha256(hostId, each.key()) != null);
            if (isShown) {
                shown.add(each);
            }
        }
        if (isOfHost && prefix.equals(ArchiveLayout.checkpoints(parts[1]))) {
            addMissing(parts[1], shown, afterKey);
        }
        return shown;
    }

    /** The checkpoint of the newest manifest must be there: who asks for it learns that it is not. */
    private void addMissing(String hostId, List<BlobInfo> shown, @Nullable String afterKey) throws IOException {
        Manifest base = host(hostId).base();
        String key = base == null ? "" : ArchiveLayout.checkpoint(hostId, base.id());
        boolean isShown = shown.stream().anyMatch(each -> each.key().equals(key));
        if (base != null && !isShown && (afterKey == null || key.compareTo(afterKey) > 0)) {
            shown.add(new BlobInfo(key, 0, 0));
            shown.sort(Comparator.comparing(BlobInfo::key));
        }
    }

    private List<BlobInfo> commits(String hostId, @Nullable String afterKey) throws IOException {
        List<BlobInfo> shown = new ArrayList<>();
        for (long seq : host(hostId).commits()) {
            String key = ArchiveLayout.commit(hostId, seq);
            if (afterKey == null || key.compareTo(afterKey) > 0) {
                shown.add(new BlobInfo(key, 0, 0));
            }
        }
        return shown;
    }

    /** A checkpoint or history counts here by what was signed. */
    private List<BlobInfo> marks(String hostId, @Nullable String afterKey) throws IOException {
        TreeSet<String> keys = new TreeSet<>();
        List<String> objects = host(hostId).objects();
        objects.addAll(made.keySet());
        for (String key : objects) {
            CheckpointId id =
                    key.startsWith(ArchiveLayout.checkpoints(hostId)) ? ArchiveLayout.checkpointOf(key) : null;
            if (id != null) {
                keys.add(ArchiveLayout.mark(hostId, id));
            } else if (key.startsWith(ArchiveLayout.history(hostId)) && ArchiveLayout.historyOf(key) != null) {
                keys.add(ArchiveLayout.historyMark(key));
            }
        }
        return keys.stream()
                .filter(key -> afterKey == null || key.compareTo(afterKey) > 0)
                .map(key -> new BlobInfo(key, 0, 0))
                .toList();
    }

    @Override
    public void forget(String key) {
        if (key.endsWith("/")) {
            hosts.forEach((id, proof) -> {
                if (ArchiveLayout.host(id).startsWith(key) || key.startsWith(ArchiveLayout.host(id))) {
                    proof.forget();
                }
            });
        }
        super.forget(key);
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        boolean isNew = store.putIfAbsent(key, content);
        if (isNew) {
            made(key, Sha256.of(content));
        }
        return isNew;
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        return digesting.create(key);
    }

    private void made(String key, byte[] sha256) {
        if (hostOf(key) != null) {
            made.put(key, sha256);
        }
    }

    @Override
    public void delete(String key) throws IOException {
        made.remove(key);
        stable.forget(key);
        store.delete(key);
    }
}
