package io.chagres.archive.maintain;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import java.util.function.Predicate;

/** Finds the runs of commits that hold the bytes of an extent, also through copies. Stateless. */
final class ExtentSources {
    /** Deeper copies are unreadable. */
    private static final int MAX_DEPTH = 64;

    private ExtentSources() {}

    /** Says whether any byte of an extent lies in a run that a predicate takes. */
    static boolean lead(HostState state, LogRecord.Extent extent, Predicate<LogRecord.Run> which) {
        return lead(state, extent, which, 0);
    }

    private static boolean lead(HostState state, LogRecord.Extent extent, Predicate<LogRecord.Run> which, int depth) {
        if (extent instanceof LogRecord.Run run) {
            return which.test(run);
        }
        if (!(extent instanceof LogRecord.CopyRun copy) || depth > MAX_DEPTH) {
            return false;
        }
        FileVersion source = state.version(copy.sourceVersion());
        if (source == null) {
            return false;
        }
        ExtentList extents = Extents.of(source);
        long end = copy.sourceStart() + copy.length();
        for (int at = Math.max(0, extents.indexOf(copy.sourceStart())); at < extents.size(); at++) {
            if (extents.start(at) >= end) {
                return false;
            }
            if (lead(state, extents.get(at), which, depth + 1)) {
                return true;
            }
        }
        return false;
    }
}
