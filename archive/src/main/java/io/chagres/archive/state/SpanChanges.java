package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Collects what the commits of a span change: of each version a row and its extents, and behind the versions all else
 * in the order of the log. Confined to one thread.
 */
final class SpanChanges {
    private final TreeMap<Long, VersionChange> versions = new TreeMap<>();
    private final TreeMap<Long, List<LogRecord.Extent>> extents = new TreeMap<>();
    private final List<LogRecord> others = new ArrayList<>();

    private SpanChanges() {}

    /** Collects those of some commits, in the order of the log. */
    static SpanChanges of(List<CommitHeader> commits) throws CorruptArchiveException {
        SpanChanges changes = new SpanChanges();
        for (CommitHeader commit : commits) {
            changes.add(commit);
        }
        return changes;
    }

    private void add(CommitHeader commit) throws CorruptArchiveException {
        RecordReader records = commit.recordReader();
        while (records.hasNext()) {
            LogRecord record = HostState.inCommit(commit.object(), records.next(), commit.seq());
            long id = VersionChange.versionOf(record);
            if (id > 0) {
                versions.computeIfAbsent(id, VersionChange::new)
                        .apply(commit.object(), record, commit.seq(), commit.timeMs());
            }
            switch (record) {
                case LogRecord.Extent extent ->
                    extents.computeIfAbsent(id, each -> new ArrayList<>()).add(extent);
                case LogRecord.Repeated said -> {}
                case LogRecord.ObjectDigest of -> {}
                default -> {
                    if (id == 0) {
                        others.add(record);
                    }
                }
            }
        }
    }

    /** Writes names, and of versions all but extents. */
    void names(Checkpoint.Sink out) throws IOException {
        for (VersionChange version : versions.values()) {
            version.write(out);
        }
        for (LogRecord other : others) {
            out.write(other);
        }
    }

    /** Writes the extents, by version. */
    void extents(Checkpoint.Sink out) throws IOException {
        for (List<LogRecord.Extent> ofVersion : extents.values()) {
            for (LogRecord.Extent extent : ofVersion) {
                out.write(extent);
            }
        }
    }
}
