package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Record;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Appends commits to the log of one host. A commit exists or not: its key is the next number, and the store gives a
 * key to one writer only. Confined to one thread at a time.
 */
public final class CommitLog {
    private final BlobStore store;
    private final String hostId;
    private final byte[] incarnation;
    private final LongSupplier clockMs;
    private final SecureRandom random = new SecureRandom();
    private long seq;
    private byte[] chain;

    /**
     * Continues a log.
     *
     * @param incarnation 16 bytes that name this run of the writer
     * @param from the state after the last commit
     * @param clockMs the wall clock, milliseconds since 1970
     */
    public CommitLog(BlobStore store, String hostId, byte[] incarnation, HostState from, LongSupplier clockMs) {
        this.store = store;
        this.hostId = hostId;
        this.incarnation = incarnation;
        this.clockMs = clockMs;
        seq = from.seq();
        chain = from.chain();
    }

    /** Returns the number of the last commit that was acknowledged. */
    public long seq() {
        return seq;
    }

    /**
     * Commits what a builder holds; when this returns it is durable and counts.
     *
     * @throws FencedException when another writer made the commit with this number
     * @throws IOException when the store refuses or does not answer: call again with the same unchanged builder
     */
    public void append(CommitBuilder commit) throws IOException {
        byte[] nonce = commit.nonce();
        if (nonce == null) {
            nonce = new byte[CommitHeader.ID_BYTES];
            random.nextBytes(nonce);
        }
        var bytes = commit.seal(seq + 1, clockMs.getAsLong(), incarnation, nonce, chain);
        String key = ArchiveLayout.commit(hostId, seq + 1);
        if (!store.putIfAbsent(key, bytes)) {
            CommitHeader there = CommitReader.header(store, key);
            if (!Arrays.equals(there.nonce(), nonce)) {
                throw new FencedException(describe(there));
            }
        }
        seq++;
        chain = java.util.Objects.requireNonNull(commit.chain());
    }

    private static String describe(CommitHeader other) throws IOException {
        RecordReader records = new RecordReader("commit " + other.seq(), other.records(), 0, other.records().length);
        while (records.hasNext()) {
            if (records.next() instanceof Record.IncarnationOpened who) {
                return who.hostName() + ", pid " + who.pid() + ", machine-id " + who.machineId() + ", since "
                        + java.time.Instant.ofEpochMilli(who.timeMs());
            }
        }
        return "commit " + other.seq() + " of " + java.time.Instant.ofEpochMilli(other.timeMs());
    }
}
