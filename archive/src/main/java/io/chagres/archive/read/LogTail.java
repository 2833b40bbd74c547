package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.state.LogBeginning;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the end of a host's log: whether the last commit is there, and whether its header, its records and its size
 * are right; and at what it begins with. {@code verify} looks at the commits between them, and at the bytes behind
 * their headers. Confined to one thread.
 */
final class LogTail {
    private final BlobStore store;
    private final String hostId;

    LogTail(BlobStore store, String hostId) {
        this.store = store;
        this.hostId = hostId;
    }

    /** Returns the last commit that a list shows; null when it shows none. */
    @Nullable
    BlobInfo last() throws IOException {
        BlobInfo last = null;
        for (BlobInfo each : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
            last = ArchiveLayout.namedCommit(each.key()) > 0 ? each : last;
        }
        return last;
    }

    /**
     * Says what is wrong with the end of a log that had a commit.
     *
     * @param known its number
     * @param witness where that is said
     * @param speaks whether its writer lives, which itself looks whether its last commit is there: what it wrote since
     *     is looked for only where that is no request
     */
    @Nullable
    CorruptArchiveException damageFrom(long known, String witness, boolean speaks) throws IOException {
        boolean asksMore = !speaks || store.traits().isLocal();
        long last = asksMore ? lastFrom(known) : known;
        CorruptArchiveException damage;
        try {
            damage = damaged(ArchiveLayout.commit(hostId, last));
        } catch (NoSuchBlobException e) { // compacted, or gone
            damage = LogWitness.missing(store, hostId, witness, known);
            asksMore = true;
        }
        return damage == null && asksMore && last > 0 ? LogBeginning.damage(store, hostId, last) : damage;
    }

    /** Says what is wrong with a commit that a list shows; what went meanwhile was compacted. */
    @Nullable
    CorruptArchiveException damage(String commit) throws IOException {
        try {
            CorruptArchiveException damage = damaged(commit);
            return damage != null ? damage : LogBeginning.damage(store, hostId, ArchiveLayout.namedCommit(commit));
        } catch (NoSuchBlobException e) {
            return LogWitness.unbegun(store, hostId);
        }
    }

    /** Numbers follow each other, so that the last is found by few questions. */
    private long lastFrom(long known) throws IOException {
        long there = known;
        long step = 1;
        while (isThere(there + step)) {
            there += step;
            step *= 2;
        }
        for (; step > 0; step /= 2) {
            there += isThere(there + step) ? step : 0;
        }
        return there;
    }

    private boolean isThere(long seq) throws IOException {
        return seq <= ArchiveLayout.MAX_NUMBER && store.exists(ArchiveLayout.commit(hostId, seq));
    }

    private @Nullable CorruptArchiveException damaged(String commit) throws IOException {
        try (CommitReader reader = new CommitReader(store)) {
            CommitHeader header = reader.look(commit);
            if (header.seq() != ArchiveLayout.namedCommit(commit)) {
                return new CorruptArchiveException(commit, "it says it is commit " + header.seq());
            }
            long expected = header.objectBytes();
            long bytes = expected < CommitReader.FIRST_BYTES ? expected : store.size(commit); // else it was compared
            return bytes == expected || bytes < 0
                    ? null
                    : new CorruptArchiveException(commit, "it has " + bytes + " bytes instead of " + expected);
        } catch (CorruptArchiveException e) {
            return e;
        }
    }
}
