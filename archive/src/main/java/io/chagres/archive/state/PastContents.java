package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a moment that a history holds: names and lengths as the history says, and where the bytes are as the
 * newest checkpoint says, see {@link History}. Where that checkpoint lacks something, an {@link UncheckedIOException}
 * says so. Confined to one thread.
 */
final class PastContents implements CheckpointContents {
    private final StateTable newest;
    private final NameTree names;
    private final LogRecord.@Nullable Retention retention;
    private long foundId;
    private @Nullable FileVersion found;

    private PastContents(StateTable newest, NameTree names, LogRecord.@Nullable Retention retention) {
        this.newest = newest;
        this.names = names;
        this.retention = retention;
    }

    /**
     * Prepares.
     *
     * @param newest the newest checkpoint
     * @param past what a history says
     * @throws CompactedHistoryException when retention expired the moment
     */
    static PastContents of(History.Found moment, StateTable newest, HostState past) throws IOException {
        LogRecord.Retention retention = past.retention();
        for (LogRecord record : newest.hostRecords()) {
            if (record instanceof LogRecord.Retention now) {
                History.requireKept(now, moment.moment());
                retention = now;
            }
        }
        return new PastContents(newest, new HostState(newest).names(), retention);
    }

    /** Returns what the newest checkpoint has of a version; null when it was expired. */
    private @Nullable FileVersion now(FileVersion version) {
        if (foundId != version.id()) {
            foundId = version.id();
            found = newest.version(foundId, names);
        }
        return found;
    }

    @Override
    public Iterable<LogRecord.Extent> extents(FileVersion version) {
        FileVersion now = now(version);
        long end = start(version);
        List<LogRecord.Extent> extents = new ArrayList<>();
        for (LogRecord.Extent extent : now == null ? List.<LogRecord.Extent>of() : Extents.of(now)) {
            if (extent.start() == end && end < version.length()) {
                extents.add(extent);
                end = extent.end();
            }
        }
        if (end < version.length()) {
            throw new UncheckedIOException(new CorruptArchiveException(
                    newest.key(), "nothing says where byte " + end + " of version " + version.id() + " is"));
        }
        return extents;
    }

    @Override
    public boolean tellsLengths() {
        return true;
    }

    @Override
    public long start(FileVersion version) {
        FileVersion now = now(version);
        return now == null
                ? version.length()
                : Math.max(version.startPosition(), Math.min(version.length(), now.startPosition()));
    }

    @Override
    public LogRecord.VersionRetention retention(FileVersion version) {
        long start = start(version);
        return now(version) == null || start > version.startPosition()
                ? new LogRecord.VersionRetention(version.id(), start, 0, 0)
                : version.retention();
    }

    @Override
    public LogRecord.@Nullable Retention retention(HostState state) {
        return retention;
    }
}
