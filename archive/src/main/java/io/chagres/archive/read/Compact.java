package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Record;
import io.chagres.archive.log.At;
import io.chagres.archive.log.Checkpoint;
import io.chagres.archive.log.ExtentFilter;
import io.chagres.archive.log.ExtentList;
import io.chagres.archive.log.FileVersion;
import io.chagres.archive.log.HostLog;
import io.chagres.archive.log.HostState;
import io.chagres.archive.log.RunListener;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Turns the many commits of a host into few objects, while its shipper goes on: bytes that lie in commits and in small
 * objects are written into objects of their version, then a checkpoint says where everything is, and what it stands for
 * is removed once the checkpoint is older than a grace period, because readers may be using it. Ended anywhere on the
 * way it leaves an archive that holds the same bytes; running it again goes on. Confined to one thread.
 */
public final class Compact {
    /**
     * Says how to compact.
     *
     * @param graceMs how long what was replaced is kept, in milliseconds; longer than any reader reads, and than an
     *     upload waits for its commit
     * @param level zstd level, 1 to 19
     * @param memoryBytes how many bytes to hold in memory at a time, if one object alone is not larger
     * @param dryRun whether to only count what would be done
     */
    public record Options(long graceMs, int level, long memoryBytes, boolean dryRun) {
        /** A day of grace, level 3, 128 MiB. */
        public static final Options DEFAULT =
                new Options(Duration.ofDays(1).toMillis(), 3, 2 * CompactionPlan.OBJECT_BYTES, false);

        /** Returns the same options as a dry run. */
        public Options asDryRun() {
            return new Options(graceMs, level, memoryBytes, true);
        }
    }

    /** Hears how compacting goes on. */
    public interface Listener {
        /** Bytes were written into new objects. */
        void progress(long doneBytes, long totalBytes);

        /** Something stays as it is, because what it needs is damaged. */
        void skipped(String subject, CorruptArchiveException cause);
    }

    /**
     * Counts what was done, or would be.
     *
     * @param seq the commit up to which the host was compacted
     * @param objectsWritten new data objects
     * @param contentBytes bytes of files in them
     * @param storedBytes their size in the store; 0 in a dry run
     * @param commitsRemoved commits
     * @param checkpointsRemoved checkpoints
     * @param objectsRemoved data objects
     * @param removedBytes size of all that was removed
     */
    public record Summary(
            long seq,
            long objectsWritten,
            long contentBytes,
            long storedBytes,
            long commitsRemoved,
            long checkpointsRemoved,
            long objectsRemoved,
            long removedBytes) {}

    private final BlobStore store;
    private final Options options;
    private final LongSupplier clockMs;
    private final Listener listener;
    private long objectsWritten;
    private long contentBytes;
    private long storedBytes;

    /**
     * Makes a compaction; nothing happens before {@link #host}.
     *
     * @param clockMs tells how old objects of the store are, milliseconds since 1970
     */
    public Compact(BlobStore store, Options options, LongSupplier clockMs, Listener listener) {
        this.store = store;
        this.options = options;
        this.clockMs = clockMs;
        this.listener = listener;
    }

    /**
     * Compacts one host.
     *
     * @throws CorruptArchiveException when its log cannot be read; verify tells more
     * @throws IOException when the store refuses
     */
    public Summary host(String hostId) throws IOException {
        objectsWritten = 0;
        contentBytes = 0;
        storedBytes = 0;
        HostState state = HostLog.load(store, hostId, At.NOW, ExtentFilter.ALL, RunListener.NONE);
        if (state.seq() > 0 && store.size(ArchiveLayout.checkpoint(hostId, state.seq())) < 0) {
            rewrite(hostId, state);
        }
        return sweep(hostId, state.seq());
    }

    private void rewrite(String hostId, HostState state) throws IOException {
        List<CompactionPlan.Merge> plan = CompactionPlan.of(state);
        if (options.dryRun()) {
            objectsWritten = plan.size();
            contentBytes = plan.stream().mapToLong(CompactionPlan.Merge::length).sum();
            return;
        }
        Map<Long, List<Record.ObjectRun>> written = new HashMap<>();
        try (VersionReader reader = new VersionReader(store, hostId, state);
                MergeWriter writer = new MergeWriter(store, hostId, reader, options.level(), listener)) {
            Map<CompactionPlan.Merge, Record.ObjectRun> objects = writer.write(plan, options.memoryBytes());
            for (CompactionPlan.Merge merge : plan) {
                Record.ObjectRun object = objects.get(merge);
                if (object != null) {
                    written.computeIfAbsent(merge.version().id(), id -> new ArrayList<>())
                            .add(object);
                    objectsWritten++;
                    contentBytes += object.length();
                }
            }
            storedBytes = writer.storedBytes();
        }
        Checkpoint.write(
                store, hostId, state, version -> replaced(version, written.getOrDefault(version.id(), List.of())));
    }

    /** Returns the extents of a version with new objects in the place of the extents they hold. */
    private static List<Record.Extent> replaced(FileVersion version, List<Record.ObjectRun> objects) {
        ExtentList old = Extents.of(version);
        List<Record.Extent> extents = new ArrayList<>();
        int next = 0;
        long heldUntil = version.startPosition();
        for (int i = 0; i < old.size(); i++) {
            if (next < objects.size() && objects.get(next).start() == old.start(i)) {
                extents.add(objects.get(next));
                heldUntil = objects.get(next).end();
                next++;
            } else if (old.start(i) >= heldUntil) {
                extents.add(old.get(i));
            }
        }
        return extents;
    }

    private Summary sweep(String hostId, long seq) throws IOException {
        Sweep sweep = new Sweep(store, hostId, clockMs.getAsLong() - options.graceMs());
        try {
            sweep.plan();
            if (!options.dryRun()) {
                sweep.run();
            }
        } catch (CorruptArchiveException e) {
            listener.skipped("removing what was replaced", e);
        }
        return new Summary(
                seq,
                objectsWritten,
                contentBytes,
                storedBytes,
                sweep.commits().size(),
                sweep.checkpoints().size(),
                sweep.objects().size(),
                bytes(sweep.commits()) + bytes(sweep.checkpoints()) + bytes(sweep.objects()));
    }

    private static long bytes(List<BlobInfo> objects) {
        return objects.stream().mapToLong(BlobInfo::lengthBytes).sum();
    }
}
