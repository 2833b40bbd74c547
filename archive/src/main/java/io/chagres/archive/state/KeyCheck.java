package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Tells an object with a damaged header from one that is encrypted to others: neither is opened by an identity. Where
 * the identities open a commit of the host they are right, and the object is damaged. Stateless.
 */
public final class KeyCheck {
    private static final int LAST_COMMITS = 4;

    private KeyCheck() {}

    /**
     * Returns what is wrong with an object of a log that could not be opened.
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
            reader.read(commit).requireRecords();
            return true;
        } catch (EncryptedException | CorruptArchiveException | NoSuchBlobException e) {
            return false;
        }
    }
}
