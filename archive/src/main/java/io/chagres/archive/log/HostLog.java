package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Loads what the log of a host adds up to: the newest checkpoint and the commits after it. Stateless. */
public final class HostLog {
    private HostLog() {}

    /**
     * Loads the state of a host.
     *
     * @param at up to which moment
     * @param filter of which versions the extents are kept
     * @param listener hears of every extent
     * @throws CorruptArchiveException naming the object that is damaged or missing
     */
    public static HostState load(BlobStore store, String hostId, At at, ExtentFilter filter, RunListener listener)
            throws IOException {
        HostState state = new HostState(filter, listener);
        CommitHeader checkpoint = newestCheckpoint(store, hostId, at);
        if (checkpoint != null) {
            state.restore(ArchiveLayout.checkpoint(hostId, checkpoint.seq()), checkpoint);
        }
        apply(store, hostId, state, at);
        return state;
    }

    /** Applies the commits that came since; returns whether there were any. */
    public static boolean refresh(BlobStore store, String hostId, HostState state) throws IOException {
        return apply(store, hostId, state, At.NOW);
    }

    private static @Nullable CommitHeader newestCheckpoint(BlobStore store, String hostId, At at)
            throws IOException {
        CommitHeader newest = null;
        for (BlobInfo info : store.list(ArchiveLayout.checkpoints(hostId), null)) {
            OptionalLong seq = ArchiveLayout.seqOf(info.key());
            if (seq.isPresent() && seq.getAsLong() <= at.seq()) {
                CommitHeader header = at.timeMs() == Long.MAX_VALUE ? null : CommitReader.header(store, info.key());
                if (header == null || header.timeMs() <= at.timeMs()) {
                    newest = header == null ? pending(seq.getAsLong()) : header;
                }
            }
        }
        return newest != null && newest.headerBytes() == 0
                ? CommitReader.header(store, ArchiveLayout.checkpoint(hostId, newest.seq()))
                : newest;
    }

    /** Stands for a checkpoint that is not fetched yet: only the newest is. */
    private static CommitHeader pending(long seq) {
        byte[] none = {};
        return new CommitHeader(CommitHeader.CHECKPOINT, seq, 0, none, none, none, none, none, 0);
    }

    private static boolean apply(BlobStore store, String hostId, HostState state, At at) throws IOException {
        boolean any = false;
        for (BlobInfo info : store.list(ArchiveLayout.log(hostId), ArchiveLayout.commit(hostId, state.seq()))) {
            OptionalLong seq = ArchiveLayout.seqOf(info.key());
            if (seq.isEmpty()) {
                continue;
            }
            if (seq.getAsLong() > at.seq()) {
                break;
            }
            if (seq.getAsLong() != state.seq() + 1) {
                throw new CorruptArchiveException(
                        ArchiveLayout.commit(hostId, state.seq() + 1),
                        "it is missing, though later commits exist (or history before it was compacted)");
            }
            CommitHeader commit = CommitReader.header(store, info.key());
            if (commit.timeMs() > at.timeMs()) {
                break;
            }
            state.apply(info.key(), commit);
            any = true;
        }
        return any;
    }
}
