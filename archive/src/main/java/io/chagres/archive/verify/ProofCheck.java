package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.CommitSeal;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.sign.Sha256;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.Statement;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Says which commits of a host a trusted key signed, in a chain without gaps, and whether the objects that they refer
 * to are those that were signed. It reads all of them as they are stored. Confined to one thread.
 */
public final class ProofCheck {
    private static final int BUFFER_BYTES = 1 << 20;

    private static final String STREAMS = "streams/";
    /** Objects that readers of Chagres read beside commits; data objects last. */
    private static final List<String> UNSIGNED = List.of("checkpoints/", "filters/", "history/", "tables/", STREAMS);

    private final BlobStore store;
    private final BlobStore stored;
    /** Data objects that are what was signed. */
    private final Set<String> covered = new HashSet<>();

    private final String hostId;
    private final Trust trust;
    private final List<Proof.Span> spans = new ArrayList<>();
    private final Map<Long, CommitHeader> headed = new HashMap<>();
    private long next = 1;
    private byte @Nullable [] chain = new byte[Sha256.BYTES];

    /** Makes a check; nothing happens before {@link #run}. */
    public ProofCheck(BlobStore store, String hostId, Trust trust) {
        this.store = store;
        stored = store.stored();
        this.hostId = hostId;
        this.trust = trust;
    }

    /** Checks all commits. */
    public Proof run() throws IOException {
        TreeMap<Long, BlobInfo> commits = new TreeMap<>();
        for (BlobInfo object : store.list(ArchiveLayout.log(hostId), null)) {
            OptionalLong seq = ArchiveLayout.seqOf(object.key());
            if (seq.isPresent() && seq.getAsLong() > 0) {
                commits.put(seq.getAsLong(), object);
            }
        }
        begin(commits);
        try (CommitReader reader = new CommitReader(store);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
            for (BlobInfo commit : commits.tailMap(next).values()) {
                long seq = ArchiveLayout.seqOf(commit.key()).orElseThrow();
                if (seq > next) {
                    unproven(next, seq - 1, "missing");
                    chain = null;
                }
                next = seq + 1;
                check(seq, commit, reader, buffer);
            }
        }
        checkHeads();
        long provenTo = spans.isEmpty() || !spans.getFirst().proven()
                ? 0
                : spans.getFirst().to();
        for (int i = 1; provenTo > 0 && i < spans.size() && spans.get(i).proven(); i++) {
            provenTo = spans.get(i).to();
        }
        return new Proof(hostId, provenTo, spans, unsigned());
    }

    /** Readers believe tables as they are, and take from them which data objects hold what. */
    private Proof.Unsigned unsigned() throws IOException {
        long count = 0;
        String first = "";
        boolean refer = false;
        for (String folder : UNSIGNED) {
            if (folder.equals(STREAMS) && !refer) {
                continue; // all that is referred to was compared with a digest
            }
            for (BlobInfo object : store.list(ArchiveLayout.host(hostId) + folder, null)) {
                if (!covered.contains(object.key())) {
                    first = count++ == 0 ? object.key() : first;
                    refer = true;
                }
            }
        }
        return new Proof.Unsigned(count, first);
    }

    /** Commits that were compacted can no longer be checked. */
    private void begin(TreeMap<Long, BlobInfo> commits) throws IOException {
        long compacted = 0;
        for (BlobInfo checkpoint : store.list(ArchiveLayout.checkpoints(hostId), null)) {
            var id = ArchiveLayout.checkpointOf(checkpoint.key());
            compacted = id == null ? compacted : Math.max(compacted, id.seq());
        }
        if (compacted > 0 && !commits.containsKey(1L)) {
            long gone = commits.isEmpty() ? compacted : Math.min(compacted, commits.firstKey() - 1);
            unproven(1, gone, "compacted, and their signatures are gone with them");
            next = gone + 1;
            chain = null;
        }
    }

    private void check(long seq, BlobInfo object, CommitReader reader, MemorySegment buffer) throws IOException {
        byte[] before = chain;
        chain = null;
        try {
            CommitHeader commit = reader.look(object.key());
            chain = commit.chain();
            headed.put(seq, commit);
            String fault = fault(seq, object, commit, before, buffer);
            if (fault != null) {
                unproven(seq, seq, fault);
            } else {
                add(new Proof.Span(
                        seq, seq, true, "signed by " + statement(commit, seq).key()));
            }
        } catch (CorruptArchiveException e) {
            unproven(seq, seq, e.fault());
        } catch (NoSuchBlobException e) {
            unproven(seq, seq, "it vanished while it was checked");
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            unproven(seq, seq, "it cannot be read: " + e.getMessage());
        }
    }

    private SignedStatement statement(CommitHeader commit, long seq) {
        CommitSeal seal = commit.seal();
        if (seal == null) {
            throw new IllegalStateException("commit " + seq + " is not signed");
        }
        return seal.statement(hostId, seq);
    }

    private @Nullable String fault(
            long seq, BlobInfo object, CommitHeader commit, byte @Nullable [] before, MemorySegment buffer)
            throws IOException {
        if (commit.seq() != seq) {
            return "it says it is commit " + commit.seq();
        }
        if (before != null && !Arrays.equals(before, commit.predecessor())) {
            return "it does not follow the commit before it";
        }
        CommitSeal seal = commit.seal();
        if (seal == null) {
            return "not signed";
        }
        SignedStatement signed = seal.statement(hostId, seq);
        if (!signed.isValid()) {
            return "its signature is not that of its key";
        }
        if (!trust.counts(signed)) {
            return "signed by " + signed.key() + ", which the trust file does not name for this host";
        }
        long size = object.lengthBytes();
        if (size != commit.objectBytes()
                || !Arrays.equals(seal.dataDigest(), digest(object.key(), commit.headerBytes(), buffer))) {
            return "its data area is not what was signed";
        }
        return commit.hasRecords()
                ? objectFault(commit, buffer)
                : "its objects cannot be told without a key that opens its records (--identity)";
    }

    private @Nullable String objectFault(CommitHeader commit, MemorySegment buffer) throws IOException {
        Map<Long, byte[]> digests = new HashMap<>();
        RecordReader records = commit.recordReader();
        while (records.hasNext()) {
            LogRecord record = records.next();
            if (record instanceof LogRecord.ObjectDigest digest) {
                digests.put(digest.unique(), digest.sha256());
            } else if (record instanceof LogRecord.ObjectRun run) {
                String key = ArchiveLayout.object(hostId, run);
                byte[] signed = digests.get(run.unique());
                if (signed == null) {
                    return "nothing signed says what " + key + " is";
                }
                try {
                    if (!Arrays.equals(signed, digest(key, 0, buffer))) {
                        return key + " is not what was signed";
                    }
                    covered.add(key);
                } catch (NoSuchBlobException e) {
                    return key + " is missing";
                }
            }
        }
        return null;
    }

    /** Returns the digest of an object from an offset on, as it is stored. */
    private byte[] digest(String key, long from, MemorySegment buffer) throws IOException {
        Sha256 digest = new Sha256();
        long at = from;
        for (int got = stored.get(key, at, buffer); got > 0; got = stored.get(key, at, buffer)) {
            digest.update(buffer, 0, got);
            at += got;
        }
        return digest.digest();
    }

    private void checkHeads() {
        for (SignedStatement head : trust.heads()) {
            Statement named = head.statement();
            if (!named.hostId().equals(hostId) || !trust.counts(head)) {
                continue;
            }
            CommitHeader there = headed.get(named.seq());
            CommitSeal seal = there == null ? null : there.seal();
            if (named.seq() >= next) {
                unproven(next, named.seq(), "missing, though a head names commit " + named.seq());
                next = named.seq() + 1;
            } else if (there != null && (seal == null || !Arrays.equals(seal.digest(), named.digest()))) {
                unproven(named.seq(), named.seq(), "it is another than a head names");
            }
        }
    }

    private void unproven(long from, long to, String why) {
        add(new Proof.Span(from, to, false, why));
    }

    private void add(Proof.Span span) {
        Proof.Span last = spans.isEmpty() ? null : spans.getLast();
        if (last != null
                && last.to() == span.from() - 1
                && last.proven() == span.proven()
                && last.why().equals(span.why())) {
            spans.set(spans.size() - 1, new Proof.Span(last.from(), span.to(), last.proven(), last.why()));
        } else {
            spans.add(span);
        }
    }
}
