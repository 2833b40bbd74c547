package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a moment that a history holds: names and lengths as the history says, and where the bytes are as the
 * newest checkpoint says, see {@link History}, which is read once. Versions are asked for in the order of their ids.
 * Where that checkpoint is damaged or lacks something, an {@link UncheckedIOException} says so. Confined to one thread.
 */
final class PastContents implements CheckpointContents, AutoCloseable {
    private final String key;
    private final CheckpointReader newest;
    private @Nullable LogRecord next;
    private LogRecord.@Nullable Retention retention;

    /** The version that was asked for last, and what the checkpoint has of it. */
    private long id;

    private boolean isThere;
    private long start;
    private final List<LogRecord.Extent> extents = new ArrayList<>();

    /**
     * Prepares.
     *
     * @param past what a history says
     * @throws CompactedHistoryException when retention expired the moment
     */
    PastContents(BlobStore store, String hostId, History.Found found, HostState past) throws IOException {
        key = ArchiveLayout.checkpoint(hostId, found.checkpoint());
        newest = new CheckpointReader(store, key, FixedHeader.CHECKPOINT);
        retention = past.retention();
        boolean isKept = false;
        try {
            for (next = newest.next(); next != null && !(next instanceof LogRecord.VersionOpened); ) {
                if (next instanceof LogRecord.Retention now) {
                    if (found.moment().timeMs() < now.horizonMs()) {
                        throw new CompactedHistoryException(now.horizonMs());
                    }
                    retention = now;
                }
                next = newest.next();
            }
            isKept = true;
        } finally {
            if (!isKept) {
                newest.close();
            }
        }
    }

    private void find(FileVersion version) {
        if (id == version.id()) {
            return;
        }
        id = version.id();
        isThere = false;
        start = version.length();
        extents.clear();
        try {
            while (next != null && !(next instanceof LogRecord.VersionOpened later && later.versionId() >= id)) {
                next = newest.next();
            }
            if (next instanceof LogRecord.VersionOpened now && now.versionId() == id) {
                isThere = true;
                start = Math.max(version.startPosition(), Math.min(version.length(), now.startPosition()));
                takeExtents(version);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void takeExtents(FileVersion version) throws IOException {
        long end = start;
        for (next = newest.next(); next != null && !(next instanceof LogRecord.VersionOpened); next = newest.next()) {
            if (next instanceof LogRecord.Extent extent && extent.start() == end && end < version.length()) {
                extents.add(extent);
                end = extent.end();
            }
        }
        if (end < version.length()) {
            throw new CorruptArchiveException(
                    key, "nothing says where byte " + end + " of version " + version.id() + " is");
        }
    }

    @Override
    public Iterable<LogRecord.Extent> extents(FileVersion version) {
        find(version);
        return extents;
    }

    @Override
    public boolean tellsLengths() {
        return true;
    }

    @Override
    public long start(FileVersion version) {
        find(version);
        return start;
    }

    @Override
    public LogRecord.VersionRetention retention(FileVersion version) {
        find(version);
        return isThere && start == version.startPosition()
                ? version.retention()
                : new LogRecord.VersionRetention(version.id(), start, 0, 0);
    }

    @Override
    public LogRecord.@Nullable Retention retention(LogRecord.@Nullable Retention before) {
        return retention;
    }

    /**
     * Reads what is left.
     *
     * @throws CorruptArchiveException when the checkpoint is not whole
     */
    void finish() throws IOException {
        while (next != null) {
            next = newest.next();
        }
    }

    @Override
    public void close() throws IOException {
        newest.close();
    }
}
