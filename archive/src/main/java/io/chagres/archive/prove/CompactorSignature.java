package io.chagres.archive.prove;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;

/** Signs what a compaction made of what is proven, and nothing else. Safe for any thread. */
public final class CompactorSignature {
    private final ProvenStore proven;
    private final BlobStore opened;
    private final SigningKey key;

    /**
     * Makes a signature.
     *
     * @param store the archive, which stays the caller's
     * @param trust whose signatures count; those by the key do anyway
     */
    public CompactorSignature(BlobStore store, Trust trust, SigningKey key) {
        proven = ProvenStore.of(store, trust.andCompactor(key.publicKey()));
        opened = ProtectedStore.of(proven, ProtectedStore.keyRing(store));
        this.key = key;
    }

    /** Returns what a compaction reads and writes, so that it takes nothing else into what it makes. */
    public BlobStore store() {
        return opened;
    }

    /** Says whether a checkpoint is signed already, and nothing was made since. */
    public boolean isSigned(String hostId, CheckpointId id) throws IOException {
        Manifest base = proven.host(hostId).base();
        return base != null && base.id().equals(id);
    }

    /**
     * Signs a checkpoint.
     *
     * @param objects the keys of all that it stands on, itself among them
     * @throws CorruptArchiveException when one of them is neither proven nor was made through the store
     */
    public void sign(String hostId, CheckpointId id, Collection<String> objects) throws IOException {
        SortedMap<String, byte[]> digests = new TreeMap<>();
        for (String object : objects) {
            byte[] sha256 = proven.sha256(hostId, object);
            if (sha256 == null) {
                throw new CorruptArchiveException(object, "it is not proven: no signature covers it");
            }
            digests.put(object, sha256);
        }
        String manifest = ArchiveLayout.manifest(hostId, id);
        byte[] text = Manifest.text(hostId, id, digests, key);
        if (!proven.putIfAbsent(manifest, MemorySegment.ofArray(text))) {
            throw new CorruptArchiveException(manifest, "it was there before its checkpoint was signed");
        }
    }
}
