package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Record;
import io.chagres.archive.log.At;
import io.chagres.archive.log.ExtentFilter;
import io.chagres.archive.log.HostLog;
import io.chagres.archive.log.HostState;
import io.chagres.archive.log.RunListener;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Removes what nobody needs any more once a checkpoint is old enough that no reader still uses what was before it:
 * older checkpoints, then the commits it stands for from the first on, then data objects that nothing refers to. Ended
 * anywhere on the way it leaves an archive that is whole. Confined to one thread.
 */
final class Sweep {
    private final BlobStore store;
    private final String hostId;
    private final long oldMs;
    private final Set<String> referredTo = new HashSet<>();
    private long oldestCommit = Long.MAX_VALUE;
    private final List<BlobInfo> checkpoints = new ArrayList<>();
    private final List<BlobInfo> commits = new ArrayList<>();
    private final List<BlobInfo> objects = new ArrayList<>();

    /**
     * Makes a sweep.
     *
     * @param oldMs what the store took at or before this time is old, milliseconds since 1970
     */
    Sweep(BlobStore store, String hostId, long oldMs) {
        this.store = store;
        this.hostId = hostId;
        this.oldMs = oldMs;
    }

    /**
     * Finds out what can be removed.
     *
     * @throws CorruptArchiveException when what is needed cannot be told, and so nothing may be removed
     */
    void plan() throws IOException {
        List<BlobInfo> candidates = listObjects();
        List<Long> seqs = new ArrayList<>();
        long base = 0;
        for (BlobInfo checkpoint : store.list(ArchiveLayout.checkpoints(hostId), null)) {
            long seq = seqOf(checkpoint);
            if (seq > 0 && checkpoint.modifiedMs() <= oldMs) {
                base = Math.max(base, seq);
            }
            seqs.add(seq);
        }
        if (base == 0) {
            return;
        }
        collect(base, seqs);
        if (oldestCommit <= base) {
            throw new CorruptArchiveException(
                    ArchiveLayout.checkpoint(hostId, base),
                    "it refers to bytes in commit " + oldestCommit + " that could not be rewritten");
        }
        addOlder(ArchiveLayout.checkpoints(hostId), base - 1, checkpoints);
        addOlder(ArchiveLayout.log(hostId), base, commits);
        boolean strays = keepStrays(base);
        for (BlobInfo object : candidates) {
            if (!strays && !referredTo.contains(object.key())) {
                objects.add(object);
            }
        }
    }

    /** Lists data objects before looking for what refers to them; a young one may be waiting for its commit. */
    private List<BlobInfo> listObjects() throws IOException {
        List<BlobInfo> old = new ArrayList<>();
        for (BlobInfo object : store.list(ArchiveLayout.streams(hostId), null)) {
            if (object.modifiedMs() <= oldMs) {
                old.add(object);
            }
        }
        return old;
    }

    private static long seqOf(BlobInfo object) {
        OptionalLong seq = ArchiveLayout.seqOf(object.key());
        return seq.isPresent() ? seq.getAsLong() : 0;
    }

    private void addOlder(String prefix, long lastSeq, List<BlobInfo> target) throws IOException {
        for (BlobInfo object : store.list(prefix, null)) {
            long seq = seqOf(object);
            if (seq > 0 && seq <= lastSeq) {
                target.add(object);
            }
        }
    }

    /**
     * Spares commits that no unbroken row of commits joins to the checkpoint: it does not stand for them. A writer that
     * was fenced off and woke up after a sweep wrote them; verify tells of them. Returns whether there are any.
     */
    private boolean keepStrays(long base) {
        int first = commits.size();
        long expected = base;
        while (first > 0 && seqOf(commits.get(first - 1)) == expected) {
            first--;
            expected--;
        }
        commits.subList(0, first).clear();
        return first > 0;
    }

    /** Collects what the checkpoint, all commits after it, and all later checkpoints refer to. */
    private void collect(long base, List<Long> seqs) throws IOException {
        RunListener listener = new RunListener() {
            @Override
            public void opened(Record.VersionOpened opened) {}

            @Override
            public void extent(Record.Extent extent) {
                if (extent instanceof Record.ObjectRun run) {
                    referredTo.add(VersionReader.keyOf(hostId, run));
                } else if (extent instanceof Record.Run run) {
                    oldestCommit = Math.min(oldestCommit, run.seq());
                }
            }
        };
        HostState state = HostLog.load(store, hostId, At.seq(base), ExtentFilter.NONE, listener);
        HostLog.refresh(store, hostId, state);
        for (long seq : seqs) {
            if (seq > base) {
                HostLog.load(store, hostId, At.seq(seq), ExtentFilter.NONE, listener);
            }
        }
    }

    List<BlobInfo> checkpoints() {
        return checkpoints;
    }

    List<BlobInfo> commits() {
        return commits;
    }

    List<BlobInfo> objects() {
        return objects;
    }

    /** Removes what was found; a reader that starts meanwhile finds a whole archive after every step. */
    void run() throws IOException {
        for (BlobInfo checkpoint : checkpoints) {
            store.delete(checkpoint.key());
        }
        for (BlobInfo commit : commits) {
            store.delete(commit.key());
        }
        for (BlobInfo object : objects) {
            store.delete(object.key());
        }
    }
}
