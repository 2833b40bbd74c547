package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;

/** Hears of versions and extents while a log is applied, in the order of the log. */
public interface RunListener {
    /** Hears nothing. */
    RunListener NONE = new RunListener() {
        @Override
        public void opened(LogRecord.VersionOpened opened) {}

        @Override
        public void extent(LogRecord.Extent extent) {}
    };

    /** A version begins. */
    void opened(LogRecord.VersionOpened opened);

    /** A version goes on. */
    void extent(LogRecord.Extent extent);

    /** Nothing counts of what was told: it begins again, since what was read turned out to be damaged. */
    default void restart() {}

    /** A commit was applied, whose versions and extents were told of before. */
    default void applied(CommitHeader commit) throws CorruptArchiveException {}
}
