package io.chagres.archive.maintain;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.CheckpointContents;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a compaction leaves of a state: what retention keeps, with new objects in the place of the extents they hold.
 *
 * @param written the new objects of each version in order
 */
record CompactedContents(Retention retention, Map<Long, List<LogRecord.ObjectRun>> written)
        implements CheckpointContents {
    @Override
    public Iterable<LogRecord.Extent> extents(FileVersion version) {
        ExtentList old = Extents.of(version);
        List<LogRecord.ObjectRun> objects = written.getOrDefault(version.id(), List.of());
        List<LogRecord.Extent> extents = new ArrayList<>();
        int next = 0;
        long heldUntil = retention.start(version);
        for (int i = retention.first(version); i < old.size(); i++) {
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

    @Override
    public long start(FileVersion version) {
        return retention.start(version);
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
    public LogRecord.@Nullable Retention retention(HostState state) {
        return retention.retention();
    }
}
