package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Derives what must be there of a host's log from everything else that is there. Tables, histories, filters and
 * heartbeats name commits that their writers had seen. A heartbeat also says which one was the last to be
 * acknowledged. Data objects show that the log has begun. Reads keys, and the newest heartbeat. Stateless, safe for any
 * thread.
 */
public final class LogWitness {
    private static final List<String> FOLDERS = List.of("tables/", "history/", "filters/");

    private LogWitness() {}

    /**
     * Says which commits of a host are missing although something names them: those behind the last commit and the
     * newest checkpoint. The readers of the log find a gap before them.
     *
     * @return null when nothing is missing, as far as keys tell
     */
    public static @Nullable CorruptArchiveException missing(BlobStore store, String hostId) throws IOException {
        String newest = null;
        long named = 0;
        BlobInfo word = Heartbeat.newest(store, hostId);
        if (word != null) {
            newest = word.key();
            named = Math.max(ArchiveLayout.namedCommit(newest), acknowledged(store, newest));
        }
        for (String key : keys(store, hostId)) {
            if (ArchiveLayout.namedCommit(key) > named) {
                named = ArchiveLayout.namedCommit(key);
                newest = key;
            }
        }
        if (newest == null) {
            BlobInfo object = BlobList.first(store, ArchiveLayout.streams(hostId));
            newest = object == null ? null : object.key();
            named = 1;
        }
        return newest == null || isThere(store, hostId, named) ? null : missing(store, hostId, named, newest);
    }

    /**
     * Says whether a commit is missing that somebody knows of.
     *
     * @param seq its number
     * @param witness where that is said
     */
    public static @Nullable CorruptArchiveException missing(BlobStore store, String hostId, String witness, long seq)
            throws IOException {
        return isThere(store, hostId, seq) ? null : missing(store, hostId, seq, witness);
    }

    /**
     * Says whether a table names a commit that is missing behind the last one. Commits alone do not say what it
     * says.
     *
     * @param last the last commit that there is
     */
    public static @Nullable CorruptArchiveException untold(BlobStore store, String hostId, long last)
            throws IOException {
        for (BlobInfo table : BlobList.all(store, ArchiveLayout.tables(hostId), null)) {
            long named = ArchiveLayout.namedCommit(table.key());
            if (named > last && !isThere(store, hostId, named)) {
                return missing(store, hostId, named, table.key());
            }
        }
        return null;
    }

    /** Returns the keys that name commits, but those of heartbeats. */
    private static List<String> keys(BlobStore store, String hostId) throws IOException {
        List<String> keys = new ArrayList<>();
        for (String folder : FOLDERS) {
            BlobList.all(store, ArchiveLayout.host(hostId) + folder, null).forEach(object -> keys.add(object.key()));
        }
        return keys;
    }

    /**
     * Returns what names a commit that is missing, and so describes a log that is not there.
     *
     * @param last the last commit that there is
     */
    public static List<String> ahead(BlobStore store, String hostId, long last) throws IOException {
        List<String> ahead = new ArrayList<>();
        for (String folder : FOLDERS) {
            for (BlobInfo object : BlobList.all(store, ArchiveLayout.host(hostId) + folder, null)) {
                if (ArchiveLayout.namedCommit(object.key()) > last) {
                    ahead.add(object.key());
                }
            }
        }
        for (BlobInfo word : BlobList.all(store, ArchiveLayout.livingHeartbeats(hostId), null)) {
            if (ArchiveLayout.namedCommit(word.key()) <= last && acknowledged(store, word.key()) <= last) {
                break;
            }
            ahead.add(word.key());
        }
        return ahead;
    }

    /** Returns the last commit that a heartbeat says was acknowledged; 0 when it says none, or cannot be read. */
    private static long acknowledged(BlobStore store, String heartbeat) throws IOException {
        try {
            return Heartbeat.get(store, heartbeat).seq();
        } catch (CorruptArchiveException | NoSuchBlobException e) {
            return 0;
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            return 0; // who checks heartbeats says so
        }
    }

    /**
     * Says whether the commits up to one differ from those whose moments compaction kept: somebody put them under
     * numbers that were free again.
     *
     * @param seq a commit that a checkpoint stood for
     */
    public static boolean areOthers(BlobStore store, String hostId, long seq) throws IOException {
        try (CommitReader reader = new CommitReader(store)) {
            byte[] chain = reader.look(ArchiveLayout.commit(hostId, seq)).chain();
            return History.isOfAnother(store, hostId, seq, chain);
        } catch (NoSuchBlobException e) {
            return false; // another checkpoint leads there
        }
    }

    /** Asks by key first: a list may lag, and be older than what names the commit. */
    private static boolean isThere(BlobStore store, String hostId, long seq) throws IOException {
        if (CommitList.holds(store, hostId, seq)) {
            return true;
        }
        CachingStore.forget(store, ArchiveLayout.host(hostId));
        CheckpointId checkpoint = Checkpoints.newest(store, hostId);
        return (checkpoint != null && checkpoint.seq() >= seq) || lastCommit(store, hostId) >= seq;
    }

    private static long lastCommit(BlobStore store, String hostId) throws IOException {
        long last = 0;
        for (BlobInfo commit : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
            last = Math.max(last, ArchiveLayout.seqOf(commit.key()).orElse(0));
        }
        return last;
    }

    private static CorruptArchiveException missing(BlobStore store, String hostId, long named, String witness)
            throws IOException {
        CheckpointId checkpoint = Checkpoints.newest(store, hostId);
        long next = 1 + Math.max(lastCommit(store, hostId), checkpoint == null ? 0 : checkpoint.seq());
        String many = next >= named ? "it is missing" : "it is missing, and all up to commit " + named;
        return new CorruptArchiveException(
                ArchiveLayout.commit(hostId, next),
                many + ", and so is a checkpoint of them, though there is " + witness);
    }

    /**
     * Says what is missing of a host, for readers that show what is there: commits that something names, all of them,
     * or the host that it continues. Where each list is a request it looks only if there is nothing to show; {@code
     * verify} always looks.
     *
     * @param state what the host's log adds up to, now or at some moment
     * @return null when nothing is missing, as far as was looked
     */
    public static @Nullable CorruptArchiveException lost(BlobStore store, String hostId, HostState state)
            throws IOException {
        CorruptArchiveException gap = null;
        if (state.seq() == 0) {
            gap = unbegun(store, hostId);
        } else if (store.traits().isLocal()) {
            gap = missing(store, hostId);
        }
        return gap != null ? gap : Predecessor.lost(store, hostId, state);
    }

    /**
     * Returns the time until which data objects were put that may be the only copy of something although nothing refers
     * to them. There are such objects when commits or checkpoints of the host are missing, or were missing until a
     * repair.
     *
     * @param quarantine what repairs found damaged or missing
     * @return a time of the store, milliseconds since 1970; {@link Long#MIN_VALUE} when nothing was missing
     */
    public static long onlyCopiesUntilMs(BlobStore store, String hostId, Quarantine quarantine) throws IOException {
        return unbegun(store, hostId) != null ? Long.MAX_VALUE : quarantine.untilMs();
    }

    /**
     * Says which commits are missing at the end of a host's log, be it all.
     *
     * @return null when nothing is missing, as far as keys tell
     */
    public static @Nullable CorruptArchiveException unbegun(BlobStore store, String hostId) throws IOException {
        CorruptArchiveException named = missing(store, hostId);
        if (named != null
                || BlobList.first(store, ArchiveLayout.log(hostId)) != null
                || BlobList.first(store, ArchiveLayout.checkpoints(hostId)) != null
                || CommitList.holds(store, hostId, 1)) { // a list may lag
            return named;
        }
        return new CorruptArchiveException(
                ArchiveLayout.commit(hostId, 1),
                "it is missing, and there is no checkpoint: the host has not begun, or all that it held is gone");
    }
}
