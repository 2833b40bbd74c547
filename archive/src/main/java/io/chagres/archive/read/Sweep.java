package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Record;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.ExtentFilter;
import io.chagres.archive.log.HostLog;
import io.chagres.archive.log.HostState;
import io.chagres.archive.log.RecordReader;
import io.chagres.archive.log.RunListener;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Removes what nobody needs any more once a checkpoint is old enough that no reader still uses what was before it:
 * older checkpoints, then the commits it stands for from the first on, then data objects that nothing refers to. Ended
 * anywhere on the way it leaves an archive that is whole. Confined to one thread.
 */
final class Sweep {
    /**
     * Is a checkpoint that would have been written, and would be old at once.
     *
     * @param objects the objects there are already that it would refer to
     */
    record Imagined(CheckpointId id, Set<String> objects) {}

    private final BlobStore store;
    private final String hostId;
    private final long oldMs;
    private final long orphanMs;
    private final Set<String> referredTo = new HashSet<>();
    private long oldestCommit = Long.MAX_VALUE;
    private final List<BlobInfo> checkpoints = new ArrayList<>();
    private final List<BlobInfo> commits = new ArrayList<>();
    private final List<BlobInfo> objects = new ArrayList<>();

    /**
     * Makes a sweep.
     *
     * @param graceMs how long what was replaced stays, in milliseconds
     * @param nowMs the time of the store, milliseconds since 1970; {@link Long#MIN_VALUE} when it is not known
     */
    Sweep(BlobStore store, String hostId, long graceMs, long nowMs) {
        this.store = store;
        this.hostId = hostId;
        oldMs = nowMs == Long.MIN_VALUE ? nowMs : nowMs - graceMs;
        orphanMs = nowMs == Long.MIN_VALUE ? nowMs : Math.min(oldMs, nowMs - Compact.ORPHAN_MS);
    }

    /**
     * Finds out what can be removed.
     *
     * @param imagined of a dry run; null when the store holds all checkpoints
     * @throws CorruptArchiveException when what is needed cannot be told, and so nothing may be removed
     */
    void plan(@Nullable Imagined imagined) throws IOException {
        List<BlobInfo> candidates = listObjects();
        NavigableMap<CheckpointId, BlobInfo> all = listCheckpoints();
        CheckpointId base = imagined == null ? newestOld(all) : imagined.id();
        if (base == null) {
            return;
        }
        if (imagined == null) {
            collect(base, all.tailMap(base, false).keySet());
        } else {
            referredTo.addAll(imagined.objects());
        }
        if (oldestCommit <= base.seq()) {
            throw new CorruptArchiveException(
                    ArchiveLayout.checkpoint(hostId, base),
                    "it refers to bytes in commit " + oldestCommit + " that could not be rewritten");
        }
        checkpoints.addAll(all.headMap(base, false).values());
        for (BlobInfo commit : store.list(ArchiveLayout.log(hostId), null)) {
            long seq = seqOf(commit);
            if (seq > 0 && seq <= base.seq()) {
                commits.add(commit);
            }
        }
        boolean strays = keepStrays(base.seq());
        candidates.removeIf(object -> referredTo.contains(object.key()));
        if (!strays && !candidates.isEmpty()) {
            addObjects(candidates, all.headMap(base, false).keySet());
        }
    }

    private @Nullable CheckpointId newestOld(NavigableMap<CheckpointId, BlobInfo> all) {
        CheckpointId newest = null;
        for (Map.Entry<CheckpointId, BlobInfo> each : all.entrySet()) {
            if (each.getValue().modifiedMs() <= oldMs) {
                newest = each.getKey();
            }
        }
        return newest;
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

    private NavigableMap<CheckpointId, BlobInfo> listCheckpoints() throws IOException {
        NavigableMap<CheckpointId, BlobInfo> all = new TreeMap<>();
        for (BlobInfo checkpoint : store.list(ArchiveLayout.checkpoints(hostId), null)) {
            CheckpointId id = ArchiveLayout.checkpointOf(checkpoint.key());
            if (id != null) {
                all.put(id, checkpoint);
            }
        }
        return all;
    }

    private static long seqOf(BlobInfo object) {
        OptionalLong seq = ArchiveLayout.seqOf(object.key());
        return seq.isPresent() ? seq.getAsLong() : 0;
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
    private void collect(CheckpointId base, Set<CheckpointId> later) throws IOException {
        RunListener listener = extents(extent -> {
            if (extent instanceof Record.ObjectRun run) {
                referredTo.add(VersionReader.keyOf(hostId, run));
            } else if (extent instanceof Record.Run run) {
                oldestCommit = Math.min(oldestCommit, run.seq());
            }
        });
        HostState state = HostLog.load(store, hostId, base, ExtentFilter.NONE, listener);
        HostLog.refresh(store, hostId, state);
        for (CheckpointId each : later) {
            HostLog.load(store, hostId, each, ExtentFilter.NONE, listener);
        }
    }

    private static RunListener extents(Consumer<Record.Extent> consumer) {
        return new RunListener() {
            @Override
            public void opened(Record.VersionOpened opened) {}

            @Override
            public void extent(Record.Extent extent) {
                consumer.accept(extent);
            }
        };
    }

    /**
     * Chooses of objects that nothing refers to those that were replaced, and those so old that nobody who made them
     * can still be about to refer to them.
     */
    private void addObjects(List<BlobInfo> unreferred, Set<CheckpointId> older) throws IOException {
        boolean allOld = unreferred.stream().allMatch(object -> object.modifiedMs() <= orphanMs);
        Set<String> replaced = new HashSet<>();
        if (!allOld) {
            collectReplaced(older, replaced);
        }
        for (BlobInfo object : unreferred) {
            if (object.modifiedMs() <= orphanMs || replaced.contains(object.key())) {
                objects.add(object);
            }
        }
    }

    /** Collects what the checkpoints and commits that go refer to. */
    private void collectReplaced(Set<CheckpointId> older, Set<String> replaced) throws IOException {
        RunListener listener = extents(extent -> {
            if (extent instanceof Record.ObjectRun run) {
                replaced.add(VersionReader.keyOf(hostId, run));
            }
        });
        for (CheckpointId each : older) {
            HostLog.load(store, hostId, each, ExtentFilter.NONE, listener);
        }
        try (CommitReader reader = new CommitReader(store)) {
            for (BlobInfo commit : commits) {
                RecordReader records = reader.read(commit.key()).recordReader();
                while (records.hasNext()) {
                    if (records.next() instanceof Record.ObjectRun run) {
                        replaced.add(VersionReader.keyOf(hostId, run));
                    }
                }
            }
        }
    }

    /** Chooses nothing: another sweep is at work. */
    void leave() {
        checkpoints.clear();
        commits.clear();
        objects.clear();
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

    /** Returns all that is removed, in the order in which a reader that starts meanwhile finds a whole archive. */
    List<BlobInfo> removed() {
        List<BlobInfo> all = new ArrayList<>(checkpoints);
        all.addAll(commits);
        all.addAll(objects);
        return all;
    }

    /** Removes what was found. */
    void run() throws IOException {
        for (BlobInfo each : removed()) {
            store.delete(each.key());
        }
    }
}
