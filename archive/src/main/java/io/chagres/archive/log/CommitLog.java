package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.sign.HostSigner;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Appends commits to the log of one host. A commit exists or not: its key is the next number, and the store gives a key
 * to one writer only. Confined to one thread at a time.
 */
public final class CommitLog {
    /** Commits stay for longer than this after a compaction, so within it a free key was never used. */
    private static final long TRUSTED_MS = 3_600_000;

    /** Of this many commits it is known what the store must hold of them. */
    private static final long RECENT = 64;

    private final BlobStore store;
    private final String hostId;
    private final byte[] incarnation;
    private final LongSupplier clockMs;
    private final SecureRandom random = new SecureRandom();
    private final LogRecord.@Nullable IncarnationOpened before;
    private final @Nullable HostSigner signer;
    private final Repeats repeats = new Repeats();
    private long lastAppendMs;
    private final NavigableMap<Long, Appended> recent = new ConcurrentSkipListMap<>();
    /** The data objects that nobody looked for since a commit refers to them. */
    private final Queue<Referred> unseen = new ConcurrentLinkedQueue<>();
    /** The commit up to which all are in the store, or were when they were looked for. */
    private volatile long kept;

    private long seq;
    private byte[] chain;
    private long timeMs;
    private long row;

    /** What is known of the bytes of a commit that was appended. */
    private record Appended(long bytes, int crc) {}

    /** A data object, and the commit that refers to it. */
    private record Referred(long seq, String key, long bytes) {
        /** Encrypted it is longer, by what depends on the recipients. */
        boolean isThere(BlobStore stored, boolean encrypted) throws IOException {
            try {
                long size = stored.size(key);
                return encrypted ? size > bytes : size == bytes;
            } catch (StoreException e) {
                if (e.kind() != StoreException.Kind.NO_OBJECT) {
                    throw e;
                }
                return false;
            }
        }
    }

    /**
     * Continues a log.
     *
     * @param incarnation 16 bytes that name this run of the writer
     * @param end where it ends
     * @param clockMs the wall clock, milliseconds since 1970
     */
    public CommitLog(BlobStore store, String hostId, byte[] incarnation, LogEnd end, LongSupplier clockMs) {
        this(store, hostId, incarnation, end, clockMs, null);
    }

    /**
     * Continues a log whose commits are signed.
     *
     * @param key by whom; null for nobody
     */
    public CommitLog(
            BlobStore store,
            String hostId,
            byte[] incarnation,
            LogEnd end,
            LongSupplier clockMs,
            @Nullable SigningKey key) {
        signer = key == null ? null : new HostSigner(hostId, key);
        this.store = store;
        this.hostId = hostId;
        this.incarnation = incarnation.clone();
        this.clockMs = clockMs;
        before = end.writer();
        seq = end.seq();
        kept = seq;
        chain = end.chain();
        timeMs = end.timeMs();
        row = end.row();
        lastAppendMs = clockMs.getAsLong();
    }

    /** Returns the number of the last commit that was acknowledged. */
    public long seq() {
        return seq;
    }

    /**
     * Commits what a builder holds; when this returns it is durable and counts.
     *
     * @param commit not empty; unchanged since the call that failed, if one did
     * @throws FencedException when another writer made the commit with this number
     * @throws IOException when the store refuses or does not answer: call again with the same unchanged builder
     */
    public void append(CommitBuilder commit) throws IOException {
        SealedCommit sealed = commit.sealed();
        if (sealed == null) {
            byte[] nonce = new byte[FixedHeader.ID_BYTES];
            random.nextBytes(nonce);
            long cutMs = clockMs.getAsLong();
            repeats.into(commit.records(), seq + 1, cutMs);
            boolean goesOn = seq > 0 && cutMs >= timeMs;
            long rowNow = goesOn ? row : seq + 1;
            commit.signedBy(signer);
            sealed = commit.seal(seq + 1, rowNow, cutMs, incarnation, nonce, chain, ProtectedStore.keyRing(store));
        }
        if (sealed.fixed().seq() != seq + 1) {
            throw new IllegalStateException("commit " + sealed.fixed().seq() + " cannot follow commit " + seq);
        }
        long nowMs = clockMs.getAsLong();
        String key = ArchiveLayout.commit(hostId, sealed.fixed().seq());
        boolean slept = isLong(lastAppendMs, nowMs);
        boolean isPut = !(slept && isCompacted(key)) && store.putIfAbsent(key, sealed.bytes());
        if (!isPut) {
            requireOurs(key, sealed);
        }
        if (isLong(slept && isPut ? nowMs : lastAppendMs, clockMs.getAsLong())) {
            requireReached(sealed); // this one, or a try before, may have been stopped between a look and the put
        }
        seq = sealed.fixed().seq();
        recent.put(seq, new Appended(sealed.bytes().byteSize(), crc(sealed.bytes())));
        recent.headMap(seq - RECENT, true).clear();
        mustHold(seq, commit.objects());
        chain = sealed.chain();
        timeMs = sealed.fixed().timeMs();
        row = sealed.fixed().row();
        repeats.appended();
        lastAppendMs = nowMs;
    }

    /**
     * Has data objects looked for that a commit refers to. Those of commits that are appended are.
     *
     * @param number the commit
     */
    public void mustHold(long number, Iterable<LogRecord.ObjectRun> objects) {
        for (LogRecord.ObjectRun run : objects) {
            unseen.add(new Referred(number, ArchiveLayout.object(hostId, run), run.objectLength()));
        }
    }

    /**
     * Returns the last commit up to which all data objects that commits refer to were looked for, as far as this
     * process knows of them. Safe for any thread.
     */
    public long lookedForUpTo() {
        long upTo = kept; // first: a commit that is appended meanwhile is behind it
        for (Referred each : unseen) {
            upTo = Math.min(upTo, each.seq - 1);
        }
        return upTo;
    }

    /** The clock may have been set back meanwhile. */
    private static boolean isLong(long fromMs, long toMs) {
        return Math.abs(toMs - fromMs) > TRUSTED_MS;
    }

    /** Returns what a reader would read of the commit appended last; before its builder is reset. */
    public CommitHeader appended(CommitBuilder commit) {
        return commit.header(ArchiveLayout.commit(hostId, seq));
    }

    /**
     * A writer that slept for long may find its next key free although another writer used it: compaction removes old
     * commits. A checkpoint of a later commit shows it.
     *
     * @return whether the commit with that key is there and was compacted: it may be ours, by a try without an answer
     */
    private boolean isCompacted(String key) throws IOException {
        String own = ArchiveLayout.checkpoint(hostId, seq);
        for (BlobInfo later : BlobList.all(store, ArchiveLayout.checkpoints(hostId), own)) {
            if (!store.exists(key)) {
                throw wentOn(later); // anybody may have put it: stopping for nothing loses nothing
            }
            return true;
        }
        return false;
    }

    /**
     * Requires that the log still leads to a commit: a checkpoint of its number or a later one was made of it.
     *
     * @throws FencedException when somebody else had the number before, and was compacted
     */
    private void requireReached(SealedCommit sealed) throws IOException {
        String own = ArchiveLayout.checkpoint(hostId, seq);
        for (BlobInfo later : BlobList.all(store, ArchiveLayout.checkpoints(hostId), own)) {
            CheckpointId id = ArchiveLayout.checkpointOf(later.key());
            boolean isOurs = id != null
                    && id.seq() == sealed.fixed().seq()
                    && Arrays.equals(Checkpoint.header(store, hostId, id).chain(), sealed.chain());
            if (!isOurs) {
                throw wentOn(later);
            }
        }
    }

    private static FencedException wentOn(BlobInfo later) {
        return new FencedException("another writer put " + later.key() + " while this one slept");
    }

    /**
     * Looks whether a commit that was acknowledged is still in the store, or was compacted; and once, by a list where
     * there is one, whether those before it are, and the data objects that they refer to: a store may forget what it
     * took. Safe for any thread.
     *
     * @param whole whether to read it too: damage in its place, and another commit, may have its size
     * @throws CorruptArchiveException when one is gone, or another
     */
    public void requireKept(long acknowledged, boolean whole) throws IOException {
        String key = ArchiveLayout.commit(hostId, acknowledged);
        DirectoryStore local = ForwardingStore.findBehind(store, DirectoryStore.class);
        if (local != null && !local.isThere()) {
            throw new CorruptArchiveException(
                    key, "it was acknowledged, and " + store.name() + " is another directory now," + " or none");
        }
        BlobStore stored = ProtectedStore.stored(store); // who ships encrypted need not be able to read
        if (isThere(stored, acknowledged)) {
            requireAllBefore(stored, acknowledged);
            Appended ours = whole ? recent.get(acknowledged) : null;
            if (ours != null) {
                requireBytes(stored, key, ours);
            }
        } else {
            requireCompacted(acknowledged);
        }
        kept = Math.max(kept, acknowledged);
        requireObjects(stored, acknowledged);
    }

    /** Forgets what it finds. A compaction removes objects too, but puts a checkpoint before. */
    private void requireObjects(BlobStore stored, long acknowledged) throws IOException {
        boolean encrypted = ProtectedStore.keyRing(store).encrypts();
        List<Referred> missing = new ArrayList<>();
        for (Iterator<Referred> all = unseen.iterator(); all.hasNext(); ) {
            Referred each = all.next();
            if (each.seq <= acknowledged && each.isThere(stored, encrypted)) {
                all.remove();
            } else if (each.seq <= acknowledged) {
                missing.add(each);
            }
        }
        long compacted = missing.isEmpty() ? 0 : compacted();
        List<String> lost = new ArrayList<>();
        for (Referred each : missing) {
            if (each.seq <= compacted) {
                unseen.remove(each);
            } else if (isThere(stored, each.seq)) {
                lost.add(each.key);
            } else {
                requireCompacted(each.seq);
            }
        }
        if (!lost.isEmpty()) {
            throw CorruptArchiveException.lost(lost);
        }
    }

    /** The store gives no bytes of what a rule of it has moved to an archive tier: its size must do. */
    private static void requireBytes(BlobStore stored, String key, Appended ours) throws IOException {
        try {
            if (crc(stored, key, ours.bytes) != ours.crc) {
                throw CorruptArchiveException.altered(key);
            }
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.ARCHIVED) {
                throw CorruptArchiveException.noObject(key, e);
            }
        }
    }

    /** Says whether there is a commit; one that was appended lately must have its size. */
    private boolean isThere(BlobStore stored, long number) throws IOException {
        String key = ArchiveLayout.commit(hostId, number);
        Appended ours = recent.get(number);
        long size = stored.size(key);
        if (size >= 0 && ours != null && size != ours.bytes) {
            throw CorruptArchiveException.altered(key);
        }
        return size >= 0;
    }

    private static int crc(MemorySegment bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.asByteBuffer());
        return (int) crc.getValue();
    }

    private static int crc(BlobStore stored, String key, long bytes) throws IOException {
        CRC32C crc = new CRC32C();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(Math.min(bytes, BlobStore.COPIED_BYTES), 4096);
            for (long at = 0; at < bytes; at += piece.byteSize()) {
                MemorySegment wanted = piece.asSlice(0, Math.min(bytes - at, piece.byteSize()));
                int got = stored.get(key, at, wanted);
                crc.update(wanted.asSlice(0, Math.max(0, got)).asByteBuffer());
            }
        }
        return (int) crc.getValue();
    }

    /** Returns up to which commit a checkpoint stands for the commits. */
    private long requireCompacted(long gone) throws IOException {
        long compacted = compacted();
        if (compacted < gone) {
            throw new CorruptArchiveException(
                    ArchiveLayout.commit(hostId, gone), "it was acknowledged, and is no longer in the archive");
        }
        return compacted;
    }

    private long compacted() throws IOException {
        NavigableSet<CheckpointId> counting = Checkpoints.counting(store, hostId);
        return counting.isEmpty() ? 0 : counting.last().seq();
    }

    /** What a list leaves out is asked for by its key, and so is all in a directory, where a list reads the whole. */
    private void requireAllBefore(BlobStore stored, long acknowledged) throws IOException {
        long next = kept + 1;
        if (next < acknowledged && !stored.traits().isLocal()) {
            for (BlobInfo each : BlobList.all(stored, ArchiveLayout.log(hostId), ArchiveLayout.commit(hostId, kept))) {
                long there =
                        Math.min(acknowledged, ArchiveLayout.seqOf(each.key()).orElse(next - 1));
                requireEach(stored, next, there);
                next = there + 1;
            }
        }
        requireEach(stored, next, acknowledged);
    }

    private void requireEach(BlobStore stored, long from, long before) throws IOException {
        for (long each = from; each < before; each++) {
            each = isThere(stored, each) ? each : requireCompacted(each);
        }
    }

    /** Somebody made this commit: we did when it holds our nonce, in a try that was not answered. */
    private void requireOurs(String key, SealedCommit sealed) throws IOException {
        try (CommitReader reader = new CommitReader(store)) {
            CommitHeader there = reader.look(key);
            if (!Arrays.equals(there.nonce(), sealed.fixed().nonce())) {
                throw new FencedException(describe(there));
            }
        }
    }

    private String describe(CommitHeader other) throws CorruptArchiveException {
        @Nullable RecordReader records = other.hasRecords() ? other.recordReader() : null;
        while (records != null && records.hasNext()) {
            if (records.next() instanceof LogRecord.IncarnationOpened who) {
                return describe(who);
            }
        }
        if (before != null && Arrays.equals(before.incarnation(), other.incarnation())) {
            return describe(before);
        }
        return "its commit " + other.seq() + " is of " + Instant.ofEpochMilli(other.timeMs());
    }

    private static String describe(LogRecord.IncarnationOpened who) {
        return who.hostName() + ", pid " + who.pid() + ", machine-id " + who.machineId() + ", since "
                + Instant.ofEpochMilli(who.timeMs());
    }
}
