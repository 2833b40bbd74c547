package io.chagres.archive.maintain;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobInputStream;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Knows what an index of objects says beside what a checkpoint does: lines, and when bytes were committed. It hears of
 * commits while they are read, takes over what the index of the checkpoint before says, and is told of what is written.
 * Confined to one thread.
 */
final class StoredFacts implements RunListener {
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
    private final Map<String, Stored> known = new HashMap<>();
    private final List<String> told = new ArrayList<>();
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
        if (extent instanceof LogRecord.ObjectRun) {
            told.add(ObjectIndex.placeOf(hostId, extent));
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
        // a checkpoint before the first commit may have told of some of them, so only the last time is known
        told.forEach(place -> known.put(place, new Stored(-1, Long.MIN_VALUE, commit.timeMs())));
        told.clear();
        next.applied(commit);
    }

    @Override
    public void restart() {
        known.clear();
        told.clear();
        commits = 0;
        next.restart();
    }

    /** Takes over what the index of a checkpoint says; where there is none, or it is damaged, less is known. */
    void load(BlobStore store, CheckpointId id) throws IOException {
        String key = ArchiveLayout.index(hostId, id);
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new ZstdInputStreamNoFinalizer(new BlobInputStream(store, key)), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                ObjectIndex.parse(line, known::put);
            }
        } catch (NoSuchBlobException | CorruptArchiveException | ZstdIOException e) {
            // what was committed when is then known as far as the version tells
        }
    }

    /** Notes what is known of an extent that was written. */
    void put(LogRecord.Extent extent, Stored stored) {
        known.put(ObjectIndex.placeOf(hostId, extent), stored);
    }

    /** Returns what is known of an extent of a version. */
    Stored of(FileVersion version, LogRecord.Extent extent) {
        if (extent instanceof LogRecord.Run run) {
            long at = run.seq() - firstSeq;
            return at < 0 || at >= commits ? atMost(version) : new Stored(-1, timesMs[(int) at], timesMs[(int) at]);
        }
        Stored stored = known.get(ObjectIndex.placeOf(hostId, extent));
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
}
