package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;

/** Hears of versions and extents while a log is applied, in the order of the log. */
public interface RunListener {
    /** Hears nothing. */
    RunListener NONE = new RunListener() {};

    /** A version begins. */
    default void opened(LogRecord.VersionOpened opened) {}

    /** A version continues with an extent. */
    default void extent(LogRecord.Extent extent) {}

    /** Nothing given so far counts: it begins again, since what was read turned out to be damaged. */
    default void restart() {}

    /** A commit was applied; its versions and extents were given before. */
    default void applied(CommitHeader commit) throws CorruptArchiveException {}
}
