package io.chagres.archive.maintain;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.CheckpointContents;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rest of a state after a compaction: the rows that retention keeps, with new extents in the place of those whose
 * bytes they hold.
 *
 * @param written the new extents of each version in order; where bytes were damaged some are missing
 */
record CompactedContents(Retention retention, WrittenExtents written) implements CheckpointContents {
    @Override
    public Iterable<LogRecord.Extent> extents(FileVersion version) {
        ExtentList old = Extents.of(version);
        List<LogRecord.Extent> fresh = written.of(version.id());
        List<LogRecord.Extent> extents = new ArrayList<>();
        int next = 0;
        int i = retention.first(version);
        while (i < old.size()) {
            long start = Math.max(old.start(i), retention.start(version)); // the first may be cut
            while (next < fresh.size() && fresh.get(next).start() < start) {
                next++;
            }
            int until = until(old, i, start, fresh, next);
            if (until == next) {
                extents.add(old.get(i));
                i++;
            } else {
                extents.addAll(fresh.subList(next, until));
                long end = fresh.get(until - 1).end();
                while (i < old.size() && old.start(i) < end) {
                    i++;
                }
                next = until;
            }
        }
        return extents;
    }

    /** Returns up to which index new extents stand for whole old ones; its own index when the first does not. */
    private static int until(ExtentList old, int from, long start, List<LogRecord.Extent> fresh, int next) {
        int until = next;
        int i = from;
        long end = start;
        for (int n = next; n < fresh.size() && fresh.get(n).start() == end; n++) {
            end = fresh.get(n).end();
            while (i < old.size() && old.end(i) < end) {
                i++;
            }
            if (i < old.size() && old.end(i) == end) {
                until = n + 1;
            }
        }
        return until;
    }

    @Override
    public long start(FileVersion version) {
        int first = retention.first(version);
        ExtentList old = Extents.of(version);
        boolean cut = first < old.size() && old.start(first) < retention.start(version);
        // where its bytes are damaged the extent stays as it is
        return cut ? extents(version).iterator().next().start() : retention.start(version);
    }

    @Override
    public @Nullable Set<Long> changed() throws IOException {
        Set<Long> changed = retention.changed();
        Iterator<LogRecord.Extent> moved = written.all().iterator();
        while (changed != null && moved.hasNext()) {
            changed.add(moved.next().versionId());
            changed = changed.size() > Retention.MAX_CHANGED ? null : changed;
        }
        return changed;
    }

    @Override
    public boolean keeps(FileVersion version) {
        return retention.keeps(version);
    }

    @Override
    public LogRecord.VersionRetention retention(FileVersion version) {
        return retention.retention(version);
    }

    @Override
    public LogRecord.@Nullable Retention retention(LogRecord.@Nullable Retention before) {
        return retention.retention();
    }
}
