package io.chagres.archive.maintain;

import io.chagres.archive.FileKey;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;

/**
 * Compares what a shipper's tables claim with the commits: anybody who may ship can put a table. Names change, but a
 * version stays, is of the same file, and only grows. Stateless.
 */
final class TableClaims {
    private static final FileKey UNKNOWN = new FileKey(0, 0, 0, 0);

    private TableClaims() {}

    /**
     * Says whether tables contradict the commits.
     *
     * @param ofCommits what checkpoint and commits say, as far as they can be read
     * @param claimed the state that the tables lead to, or a later one
     */
    static boolean contradict(HostState ofCommits, HostState claimed) {
        if (claimed.seq() < ofCommits.seq()) {
            return true;
        }
        for (FileVersion version : ofCommits.versions()) {
            FileVersion other = claimed.version(version.id());
            if (other == null || !isSameFile(version, other) || !hasAll(version, other)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSameFile(FileVersion version, FileVersion other) {
        return version.key().equals(UNKNOWN) || version.key().equals(other.key()); // its opening may be lost
    }

    private static boolean hasAll(FileVersion version, FileVersion other) {
        ExtentList extents = Extents.of(other);
        for (LogRecord.Extent extent : Extents.of(version)) {
            boolean isLost = extent instanceof LogRecord.CopyRun copy && copy.isLost();
            int at = isLost ? -1 : extents.indexOf(extent.start());
            if (!isLost && (at < 0 || !extents.get(at).equals(extent))) {
                return false;
            }
        }
        return true;
    }
}
