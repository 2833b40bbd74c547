package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows what an index of objects says beside what a checkpoint does: lines, and when bytes were committed. It hears of
 * commits while they are read, and takes over what the index of the checkpoint before says.
 * Confined to one thread.
 */
final class StoredFacts implements RunListener, AutoCloseable {
    /**
     * What is known of the bytes of an extent.
     *
     * @param lines newlines in them; -1 when nobody counted
     * @param firstMs no byte was committed before it, milliseconds since 1970
     * @param lastMs no byte was committed after it
     */
    record Stored(long lines, long firstMs, long lastMs) {}

    private final String hostId;
    private final RunListener next;
    /** When data objects were committed at the latest, by their numbers. */
    private final Map<Long, Long> uploadedMs = new HashMap<>();

    private final List<Long> told = new ArrayList<>();
    private @Nullable IndexLines before;
    private long firstSeq;
    private long[] timesMs = new long[64]; // of each commit from the first on
    private int commits;

    /** Knows nothing yet; what it hears it passes on. */
    StoredFacts(String hostId, RunListener next) {
        this.hostId = hostId;
        this.next = next;
    }

    /** Returns whose objects it knows. */
    String hostId() {
        return hostId;
    }

    @Override
    public void opened(LogRecord.VersionOpened opened) {
        next.opened(opened);
    }

    @Override
    public void extent(LogRecord.Extent extent) {
        if (extent instanceof LogRecord.ObjectRun run) {
            told.add(run.unique());
        }
        next.extent(extent);
    }

    @Override
    public void applied(CommitHeader commit) throws CorruptArchiveException {
        if (commits == timesMs.length) {
            timesMs = Arrays.copyOf(timesMs, commits + (commits >> 1));
        }
        firstSeq = commits == 0 ? commit.seq() : firstSeq;
        timesMs[commits++] = commit.timeMs();
        // a checkpoint before the first commit may have named some of them, so only the last time is known
        told.forEach(unique -> uploadedMs.put(unique, commit.timeMs()));
        told.clear();
        next.applied(commit);
    }

    @Override
    public void restart() {
        uploadedMs.clear();
        told.clear();
        commits = 0;
        next.restart();
    }

    /** Takes over what the index of a checkpoint says; where there is none, or it is damaged, less is known. */
    void load(BlobStore store, CheckpointId id) {
        before = new IndexLines(store, ArchiveLayout.index(hostId, id));
    }

    /** Returns what is known of an extent of a version; versions come in the order of their ids. */
    Stored of(FileVersion version, LogRecord.Extent extent) {
        if (extent instanceof LogRecord.Run run) {
            long at = run.seq() - firstSeq;
            return at < 0 || at >= commits ? atMost(version) : new Stored(-1, timesMs[(int) at], timesMs[(int) at]);
        }
        Stored stored = before == null ? null : before.of(version.id()).get(ObjectIndex.placeOf(hostId, extent));
        Long ms = extent instanceof LogRecord.ObjectRun object ? uploadedMs.get(object.unique()) : null;
        if (stored == null && ms != null) {
            stored = new Stored(-1, Long.MIN_VALUE, ms);
        }
        return stored == null
                ? atMost(version)
                : new Stored(stored.lines(), Math.max(stored.firstMs(), version.openedMs()), stored.lastMs());
    }

    private static Stored atMost(FileVersion version) {
        return new Stored(-1, version.openedMs(), version.changedMs());
    }

    /** Returns what is known of a range of a version that has some lines. */
    Stored of(FileVersion version, long start, long end, long lines) {
        ExtentList extents = Extents.of(version);
        long firstMs = Long.MAX_VALUE;
        long lastMs = Long.MIN_VALUE;
        for (int i = extents.indexOf(start); i < extents.size() && extents.start(i) < end; i++) {
            Stored stored = of(version, extents.get(i));
            firstMs = Math.min(firstMs, stored.firstMs());
            lastMs = Math.max(lastMs, stored.lastMs());
        }
        return new Stored(lines, firstMs, lastMs);
    }

    @Override
    public void close() {
        if (before != null) {
            before.close();
        }
    }
}
