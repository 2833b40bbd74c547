package io.chagres.archive.prove;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.sign.Sha256;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.Statement;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What signatures prove of one host: the newest checkpoint whose manifest somebody signed who is trusted with it, and
 * the commits behind that, or all when there is none. It goes through the commits as far as it is asked. Safe for any
 * thread.
 */
public final class HostProof {
    /** An object that a signature covers.
     *
     * @param sha256 of the object as it is stored
     * @param seq the commit that names it; 0 when it is a manifest that does
     */
    record Covered(byte[] sha256, long seq) {}

    private final StableStore stored;
    private final BlobStore opened;
    private final String hostId;
    private final Trust trust;
    private final Map<String, Covered> covered = new HashMap<>();
    private @Nullable Manifest base;
    private @Nullable CommitWalk walk;
    private NavigableSet<Long> listed = new TreeSet<>();
    /** There was a commit of this number once. */
    private long named;

    private String namedBy = "";
    private boolean isCurrent;

    /**
     * Makes a proof; nothing is read before it is asked.
     *
     * @param opened what identities open in the store
     */
    HostProof(StableStore stored, BlobStore opened, String hostId, Trust trust) {
        this.stored = stored;
        this.opened = opened;
        this.hostId = hostId;
        this.trust = trust;
    }

    /** Makes a proof of a host of a store. */
    public static HostProof of(BlobStore store, String hostId, Trust trust) {
        StableStore stored = new StableStore(ProtectedStore.stored(store));
        return new HostProof(stored, ProtectedStore.of(stored, ProtectedStore.keyRing(store)), hostId, trust);
    }

    /** Returns the newest signed statement of a checkpoint of a host, by any key; null when there is none. */
    public static @Nullable SignedStatement newestSigned(BlobStore store, String hostId) throws IOException {
        NavigableSet<CheckpointId> manifests = new TreeSet<>();
        for (BlobInfo each : BlobList.all(store, ArchiveLayout.marks(hostId), null)) {
            CheckpointId id = ArchiveLayout.manifestOf(each.key());
            if (id != null) {
                manifests.add(id);
            }
        }
        for (CheckpointId id : manifests.descendingSet()) {
            try {
                SignedStatement signed =
                        Manifest.read(ProtectedStore.stored(store), hostId, id).signed();
                if (signed.isValid()) {
                    return signed;
                }
            } catch (CorruptArchiveException e) {
                // an earlier one says less, but it says it
            }
        }
        return null;
    }

    /** Says that objects were put or removed since. */
    synchronized void forget() {
        isCurrent = false;
    }

    private void look() throws IOException {
        if (isCurrent) {
            return;
        }
        NavigableSet<CheckpointId> manifests = new TreeSet<>();
        named = 0;
        for (BlobInfo each : BlobList.all(stored, ArchiveLayout.marks(hostId), null)) {
            CheckpointId mark = ArchiveLayout.markOf(each.key());
            CheckpointId manifest = ArchiveLayout.manifestOf(each.key());
            if (mark != null) {
                name(mark.seq(), "compacted, and no manifest that a trusted key signed stands for it");
            } else if (manifest != null) {
                manifests.add(manifest);
            }
        }
        String otherwise = "";
        Manifest newest = null;
        for (CheckpointId id : manifests.descendingSet()) {
            try {
                Manifest found = base != null && base.id().equals(id) ? base : Manifest.read(stored, hostId, id);
                if (trust.counts(found.signed())) {
                    newest = found;
                    break;
                }
                otherwise = "; " + ArchiveLayout.manifest(hostId, id) + " is signed by " + found.by()
                        + ", which the trust file does not name for compaction of this host";
            } catch (CorruptArchiveException e) {
                otherwise = "; " + e.getMessage();
            }
        }
        namedBy += named > 0 ? otherwise : "";
        boolean isNew = newest == null || base == null || !newest.id().equals(base.id());
        if (isNew) {
            covered.clear();
            walk = null;
            base = newest;
            if (newest != null) {
                newest.objects().forEach((key, sha256) -> covered.put(key, new Covered(sha256, 0)));
            }
        }
        checkHeads();
        list();
        isCurrent = true;
    }

    private void checkHeads() {
        for (SignedStatement head : trust.heads()) {
            Statement of = head.statement();
            if (of.hostId().equals(hostId) && trust.counts(head)) {
                String kind = of.isOfCommit() ? "commit " : "the checkpoint of commit ";
                name(of.seq(), "missing, though a head names " + kind + of.seq());
                CheckpointId id = new CheckpointId(of.seq(), Math.max(0, of.revision()));
                if (base != null
                        && !of.isOfCommit()
                        && base.id().equals(id)
                        && !base.signed().statement().equals(of)) {
                    name(of.seq() + 1, "its checkpoint is another than a head names");
                }
            }
        }
    }

    private void name(long seq, String by) {
        if (seq > named) {
            named = seq;
            namedBy = by;
        }
    }

    private void list() throws IOException {
        listed = new TreeSet<>();
        String after = baseSeq() == 0 ? null : ArchiveLayout.commit(hostId, baseSeq());
        for (BlobInfo each : BlobList.all(stored, ArchiveLayout.log(hostId), after)) {
            long seq = ArchiveLayout.seqOf(each.key()).orElse(0);
            if (seq > baseSeq()) {
                listed.add(seq);
            }
        }
    }

    /** Returns the manifest that all begins with; null when there is none that counts. */
    synchronized @Nullable Manifest base() throws IOException {
        look();
        return base;
    }

    private long baseSeq() {
        return base == null ? 0 : base.id().seq();
    }

    /**
     * Returns the commits behind the checkpoint. One that is missing is among them when something else shows that it
     * must be there: a reader of it learns why it is not.
     */
    public synchronized NavigableSet<Long> commits() throws IOException {
        look();
        NavigableSet<Long> commits = new TreeSet<>(listed);
        if (named > (commits.isEmpty() ? baseSeq() : commits.getLast())) {
            commits.add((commits.isEmpty() ? baseSeq() : commits.getLast()) + 1);
        }
        if (!commits.isEmpty() && !commits.contains(baseSeq() + 1)) {
            commits.add(baseSeq() + 1);
        }
        return commits;
    }

    /** Returns the last commit behind the checkpoint that is there, or must be; the checkpoint's when there is none. */
    public synchronized long end() throws IOException {
        look();
        return Math.max(named, listed.isEmpty() ? baseSeq() : listed.getLast());
    }

    /** Says whether a commit is there, or must be. */
    synchronized boolean isCommit(long seq) throws IOException {
        look();
        return seq > baseSeq() && (seq <= named || listed.contains(seq) || ObjectFault.exists(stored, key(seq)));
    }

    private String key(long seq) {
        return ArchiveLayout.commit(hostId, seq);
    }

    /** Returns why a commit behind the checkpoint is not proven; null when it is. */
    public synchronized @Nullable String fault(long seq) throws IOException {
        look();
        walkTo(seq);
        CommitWalk.Proven proven = walked().proven(seq);
        if (proven != null) {
            return null;
        }
        boolean isThere = listed.contains(seq) || ObjectFault.exists(stored, key(seq));
        return !isThere && seq <= named ? namedBy : walked().fault(seq);
    }

    private CommitWalk walked() throws IOException {
        CommitWalk going = walk;
        if (going == null) {
            going = new CommitWalk(stored, opened, hostId, trust, baseSeq(), baseChain());
            walk = going;
        }
        return going;
    }

    private void walkTo(long seq) throws IOException {
        CommitWalk going = walked();
        long first = going.next();
        going.to(seq, listed);
        for (long each : new ArrayList<>(listed.subSet(first, true, Math.max(first, seq), true))) {
            cover(each, going.proven(each));
        }
        cover(seq, going.proven(seq));
    }

    private void cover(long seq, CommitWalk.@Nullable Proven proven) {
        if (proven != null) {
            covered.put(key(seq), new Covered(proven.sha256(), seq));
            proven.objects().forEach((key, sha256) -> covered.put(key, new Covered(sha256, seq)));
        }
    }

    private byte @Nullable [] baseChain() throws IOException {
        Manifest checkpoint = base;
        if (checkpoint == null) {
            return new byte[Sha256.BYTES];
        }
        String key = ArchiveLayout.checkpoint(hostId, checkpoint.id());
        try {
            if (faultOf(key) != null) {
                return null; // nothing behind it can be read without it
            }
            byte[] chain = Checkpoint.header(opened, hostId, checkpoint.id()).chain();
            return Arrays.equals(chain, new byte[Sha256.BYTES]) ? null : chain;
        } catch (CorruptArchiveException | NoSuchBlobException e) {
            return null;
        }
    }

    /** Returns what signatures say of an object; null when they say nothing. */
    synchronized @Nullable Covered covered(String key) throws IOException {
        look();
        Covered known = covered.get(key);
        if (known == null && ArchiveLayout.isData(key) && !listed.isEmpty()) {
            walkTo(listed.getLast());
            known = covered.get(key);
        }
        return known;
    }

    /** Returns the keys of all objects that signatures cover, of the commits that were asked for. */
    public synchronized List<String> objects() throws IOException {
        look();
        return new ArrayList<>(covered.keySet());
    }

    /** Returns the commit that names an object; 0 when a manifest does, and -1 when nothing does. */
    public long namedIn(String key) throws IOException {
        Covered known = covered(key);
        return known == null ? -1 : known.seq();
    }

    /** Returns the signed statement of the checkpoint; null when there is none. */
    public @Nullable SignedStatement checkpoint() throws IOException {
        Manifest manifest = base();
        return manifest == null ? null : manifest.signed();
    }

    /** Returns by whom a commit is signed that is proven. */
    public synchronized String signer(long seq) {
        CommitWalk.Proven proven = walk == null ? null : walk.proven(seq);
        return proven == null ? "nobody" : proven.by().toString();
    }

    /** Reads an object as it is stored, and returns why it is not what was signed; null when it is. */
    public @Nullable String faultOf(String key) throws IOException {
        Covered signed = covered(key);
        if (signed == null) {
            return "no signature covers it";
        }
        return ObjectFault.of(stored, () -> {
            if (Arrays.equals(signed.sha256(), stored.sha256(key, 0))) {
                return null;
            }
            stored.forget(key); // a bit that flipped on the way is not in the archive
            return Arrays.equals(signed.sha256(), stored.sha256(key, 0)) ? null : "it is not what was signed";
        });
    }

    /**
     * Looks at commits up to one that were compacted and are still there, for who reads without proofs.
     *
     * @return the objects that are proven with them; nothing of those that do not lead to the checkpoint
     */
    public synchronized Map<String, byte[]> before() throws IOException {
        look();
        Manifest checkpoint = base;
        if (checkpoint == null) {
            return Map.of();
        }
        NavigableSet<Long> earlier = new TreeSet<>();
        for (BlobInfo each : BlobList.all(stored, ArchiveLayout.log(hostId), null)) {
            long seq = ArchiveLayout.seqOf(each.key()).orElse(0);
            if (seq > 0 && seq <= baseSeq()) {
                earlier.add(seq);
            }
        }
        long first = baseSeq() + 1;
        while (earlier.contains(first - 1)) {
            first--;
        }
        byte[] none = first == 1 ? new byte[Sha256.BYTES] : null;
        CommitWalk going = new CommitWalk(stored, opened, hostId, trust, first - 1, none);
        going.to(baseSeq(), earlier);
        Map<String, byte[]> proven = new HashMap<>();
        byte[] chain = baseChain();
        if (going.chain() != null && chain != null && Arrays.equals(going.chain(), chain)) {
            for (long seq = first; seq <= baseSeq(); seq++) {
                CommitWalk.Proven commit = going.proven(seq);
                if (commit != null) {
                    proven.put(key(seq), commit.sha256());
                    proven.putAll(commit.objects());
                }
            }
        }
        return proven;
    }

    /** Says whether an object is what a digest says. */
    public boolean is(String key, byte[] sha256) throws IOException {
        return ObjectFault.of(stored, () -> Arrays.equals(sha256, stored.sha256(key, 0)) ? null : "other") == null;
    }
}
