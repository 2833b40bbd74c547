package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says which commits of a host there are, and which are missing. Stateless, safe for any thread. */
final class CommitList {
    private CommitList() {}

    /**
     * Returns the commits behind one, up to another, as a list shows them and, where lists may lag, a look behind its
     * end.
     *
     * @param afterSeq 0 for all
     */
    static List<Long> read(BlobStore store, String hostId, long afterSeq, long untilSeq) throws IOException {
        List<Long> seqs = listed(store, hostId, afterSeq, untilSeq);
        addBehind(store, hostId, afterSeq, untilSeq, seqs);
        return seqs;
    }

    /** Says whether no commit follows one, with no look behind a list that shows some. */
    static boolean isEmpty(BlobStore store, String hostId, long afterSeq) throws IOException {
        List<Long> seqs = listed(store, hostId, afterSeq, Long.MAX_VALUE);
        if (seqs.isEmpty()) {
            addBehind(store, hostId, afterSeq, afterSeq + 1, seqs);
        }
        return seqs.isEmpty();
    }

    private static List<Long> listed(BlobStore store, String hostId, long afterSeq, long untilSeq) throws IOException {
        String afterKey = afterSeq == 0 ? null : ArchiveLayout.commit(hostId, afterSeq);
        List<Long> seqs = new ArrayList<>();
        for (BlobInfo info : BlobList.all(store, ArchiveLayout.log(hostId), afterKey)) {
            long seq = ArchiveLayout.seqOf(info.key()).orElse(0);
            if (seq > untilSeq) {
                break;
            }
            if (seq > 0) {
                seqs.add(seq);
            }
        }
        return seqs;
    }

    private static void addBehind(BlobStore store, String hostId, long afterSeq, long untilSeq, List<Long> seqs)
            throws IOException {
        if (!store.traits().listsMayLag()) {
            return;
        }
        long next = (seqs.isEmpty() ? afterSeq : seqs.getLast()) + 1;
        try {
            while (next <= untilSeq && store.exists(ArchiveLayout.commit(hostId, next))) {
                seqs.add(next);
                next++;
            }
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            seqs.add(next); // something is there, and a reader of it says what
        }
    }

    /** Returns the first commit that is not there; a listing that lags may just not show it. */
    static @Nullable Long missing(BlobStore store, String hostId, long before, List<Long> commits) throws IOException {
        for (int i = 0; i < commits.size(); i++) {
            long expected = before + 1 + i;
            if (commits.get(i) != expected) {
                if (!holds(store, hostId, expected)) {
                    return expected;
                }
                commits.add(i, expected);
            }
        }
        return null;
    }

    /**
     * Asks for a commit by its key.
     *
     * @throws CorruptArchiveException when something else has its name
     */
    static boolean holds(BlobStore store, String hostId, long seq) throws IOException {
        String key = ArchiveLayout.commit(hostId, seq);
        try {
            return store.exists(key);
        } catch (StoreException e) {
            throw CorruptArchiveException.noObject(key, e);
        }
    }

    static CorruptArchiveException absent(String hostId, long seq) {
        return new CorruptArchiveException(
                ArchiveLayout.commit(hostId, seq), "it is missing, though later commits exist");
    }

    /** Returns the first commit of all that is not there; 1 when none is. */
    static long firstMissing(BlobStore store, String hostId) throws IOException {
        Long missing = missing(store, hostId, 0, read(store, hostId, 0, Long.MAX_VALUE));
        return missing == null ? 1 : missing;
    }

    /** Lets a reader fetch some commits ahead. */
    static void expect(String hostId, List<Long> commits, CommitReader reader) {
        reader.expect(
                commits.stream().map(seq -> ArchiveLayout.commit(hostId, seq)).toList());
    }

    /**
     * Reads a commit that a list shows.
     *
     * @throws CorruptArchiveException when it is damaged, or vanished meanwhile
     */
    static CommitHeader commit(String hostId, long seq, CommitReader reader) throws IOException {
        String key = ArchiveLayout.commit(hostId, seq);
        try {
            return reader.read(key);
        } catch (NoSuchBlobException e) {
            throw new CorruptArchiveException(key, "it vanished while the log was read");
        }
    }
}
