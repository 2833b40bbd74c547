package io.chagres.archive.prove;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.CommitSeal;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.Statement;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.sign.VerifyKey;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/**
 * Goes from commit to commit, and says of each whether somebody who is trusted signed it, whether it follows the one
 * before it, and which objects it names. It reads each to its end. Of a commit it keeps some 200 bytes, and as much of
 * each object. Confined to one thread at a time.
 */
final class CommitWalk {
    /** A commit that is proven.
     *
     * @param sha256 of the object
     * @param objects the SHA-256 of each data object that it names, by key
     */
    record Proven(byte[] sha256, VerifyKey by, Map<String, byte[]> objects) {}

    private final StableStore stored;
    private final BlobStore opened;
    private final String hostId;
    private final Trust trust;
    private final Map<Long, Proven> proven = new HashMap<>();
    private final Map<Long, String> faults = new HashMap<>();
    private long next;
    private byte @Nullable [] chain;

    /**
     * Begins.
     *
     * @param stored gives objects as they are stored
     * @param opened gives the same to who can open what is encrypted
     * @param after the commit before the first
     * @param chain its chain value; null when nobody knows it
     */
    CommitWalk(StableStore stored, BlobStore opened, String hostId, Trust trust, long after, byte @Nullable [] chain) {
        this.stored = stored;
        this.opened = opened;
        this.hostId = hostId;
        this.trust = trust;
        this.chain = chain;
        next = after + 1;
    }

    /** Returns the number of the first commit that was not looked at yet. */
    long next() {
        return next;
    }

    /** Returns the chain value of the commit before that; null when it is not known. */
    byte @Nullable [] chain() {
        return chain;
    }

    /** Returns the proof of a commit that was looked at; null when it has none. */
    @Nullable
    Proven proven(long seq) {
        return proven.get(seq);
    }

    /** Returns why a commit that was looked at is not proven; null when it is. */
    @Nullable
    String fault(long seq) {
        return proven.containsKey(seq) ? null : faults.getOrDefault(seq, "missing");
    }

    /**
     * Looks at all commits up to one.
     *
     * @param listed the commits that a list shows
     * @throws IOException when the store does not answer
     */
    void to(long seq, NavigableSet<Long> listed) throws IOException {
        if (next > seq) {
            return;
        }
        stored.expectWhole(listed.subSet(next, true, seq, true).stream()
                .map(each -> ArchiveLayout.commit(hostId, each))
                .toList());
        try (CommitReader reader = new CommitReader(opened)) {
            while (next <= seq) {
                boolean isThere = next == seq || listed.contains(next) || exists(next);
                Long later = isThere ? Long.valueOf(next) : listed.higher(next);
                if (!isThere) {
                    chain = null;
                    next = later == null ? seq : Math.min(later, seq);
                }
                look(next, reader);
                next++;
            }
        }
    }

    private boolean exists(long seq) throws IOException {
        return stored.traits().listsMayLag() && ObjectFault.exists(stored, ArchiveLayout.commit(hostId, seq));
    }

    private void look(long seq, CommitReader reader) throws IOException {
        String key = ArchiveLayout.commit(hostId, seq);
        byte @Nullable [] before = chain;
        chain = null;
        String fault = ObjectFault.of(stored, () -> {
            byte[] sha256 = stored.sha256(key, 0);
            CommitHeader commit = reader.look(key);
            chain = commit.chain();
            String why = fault(seq, commit, before);
            if (why == null) {
                SignedStatement signed = statement(commit, seq);
                proven.put(seq, new Proven(sha256, signed.key(), objects(commit)));
            }
            return why;
        });
        if (fault != null) {
            faults.put(seq, fault);
        }
    }

    private SignedStatement statement(CommitHeader commit, long seq) {
        CommitSeal seal = commit.seal();
        if (seal == null) {
            throw new IllegalStateException("commit " + seq + " is not signed");
        }
        return seal.statement(hostId, seq);
    }

    private @Nullable String fault(long seq, CommitHeader commit, byte @Nullable [] before) throws IOException {
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
        for (SignedStatement head : trust.heads()) {
            Statement named = head.statement();
            boolean isOfIt = named.isOfCommit() && named.hostId().equals(hostId) && named.seq() == seq;
            if (isOfIt && trust.counts(head) && !Arrays.equals(named.digest(), seal.digest())) {
                return "it is another than a head names";
            }
        }
        boolean isWhole = stored.size(commit.object()) == commit.objectBytes()
                && Arrays.equals(seal.dataDigest(), stored.sha256(commit.object(), commit.headerBytes()));
        if (!isWhole) {
            return "its data area is not what was signed";
        }
        return commit.hasRecords()
                ? null
                : "its objects cannot be told without a key that opens its records (--identity)";
    }

    private Map<String, byte[]> objects(CommitHeader commit) throws CorruptArchiveException {
        Map<Long, byte[]> digests = new HashMap<>();
        Map<String, byte[]> objects = new LinkedHashMap<>();
        RecordReader records = commit.recordReader();
        while (records.hasNext()) {
            LogRecord record = records.next();
            if (record instanceof LogRecord.ObjectDigest digest) {
                digests.put(digest.unique(), digest.sha256());
            } else if (record instanceof LogRecord.ObjectRun run) {
                String key = ArchiveLayout.object(hostId, run);
                byte[] signed = digests.get(run.unique());
                if (signed == null) {
                    throw new CorruptArchiveException(key, "nothing signed says what " + key + " is");
                }
                objects.put(key, signed);
            }
        }
        return objects.isEmpty() ? Map.of() : objects;
    }
}
