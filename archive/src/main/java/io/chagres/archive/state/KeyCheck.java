package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.ObjectKind;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Tells an object with a damaged header from one that is encrypted to others: neither is opened by an identity. Where
 * the identities open an encrypted commit of the host, a reader does without the object. Where they also open all that
 * is encrypted to the same recipients, it is damaged. Stateless.
 */
public final class KeyCheck {
    private static final int LAST_COMMITS = 4;

    private KeyCheck() {}

    /**
     * Returns what is wrong with an object of a log that could not be opened: it is damaged or, where the recipients
     * changed, encrypted to earlier ones.
     *
     * @throws EncryptedException that one, where no identity opens any of the last commits
     */
    public static CorruptArchiveException ofObject(BlobStore store, String hostId, EncryptedException failed)
            throws IOException {
        if (ProtectedStore.keyRing(store).identities().isEmpty()) {
            throw failed;
        }
        Deque<String> last = new ArrayDeque<>();
        for (BlobInfo commit : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
            last.addFirst(commit.key());
            if (last.size() > LAST_COMMITS) {
                last.removeLast();
            }
        }
        try (CommitReader reader = new CommitReader(store)) {
            for (String commit : last) {
                if (!commit.equals(failed.object()) && opens(reader, commit)) {
                    return failed.asDamage();
                }
            }
        }
        throw failed;
    }

    private static boolean opens(CommitReader reader, String commit) throws IOException {
        try {
            return reader.read(commit).isEncrypted();
        } catch (EncryptedException | CorruptArchiveException | NoSuchBlobException e) {
            return false;
        }
    }

    /**
     * Returns the damage of an object of a log that could not be opened.
     *
     * @throws EncryptedException that one, unless the identities open what is encrypted to the same recipients
     */
    public static CorruptArchiveException ofDamaged(BlobStore store, String hostId, EncryptedException failed)
            throws IOException {
        CorruptArchiveException damage = ofObject(store, hostId, failed);
        long at = ArchiveLayout.namedCommit(failed.object());
        NavigableSet<Long> commits = new TreeSet<>();
        for (BlobInfo commit : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
            ArchiveLayout.seqOf(commit.key()).ifPresent(commits::add);
        }
        Long first = commits.ceiling(at);
        boolean isGap = first != null && first > at + 1 && isCompacted(store, hostId, first - 1);
        if (ArchiveLayout.kindOf(failed.object()) == ObjectKind.COMMIT || isGap) {
            throw failed; // the checksum of a commit was right; recipients may have changed in the gap
        }
        try (CommitReader reader = new CommitReader(store)) {
            for (long seq : commits.tailSet(at)) {
                CommitHeader commit = reader.read(ArchiveLayout.commit(hostId, seq));
                if (seq > at && statesRecipients(commit)) {
                    throw failed;
                }
                if (commit.isEncrypted()) {
                    return damage;
                }
            }
        } catch (CorruptArchiveException | NoSuchBlobException e) {
            throw failed; // it may have stated other recipients
        }
        throw failed;
    }

    private static boolean isCompacted(BlobStore store, String hostId, long seq) throws IOException {
        for (BlobInfo checkpoint : BlobList.all(store, ArchiveLayout.checkpoints(hostId), null)) {
            CheckpointId id = ArchiveLayout.checkpointOf(checkpoint.key());
            if (id != null && id.seq() >= seq) {
                return true;
            }
        }
        return false;
    }

    private static boolean statesRecipients(CommitHeader commit) throws IOException {
        RecordReader records = commit.recordReader();
        while (records.hasNext()) {
            if (records.next() instanceof LogRecord.Recipients) {
                return true;
            }
        }
        return false;
    }
}
