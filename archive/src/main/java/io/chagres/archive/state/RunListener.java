package io.chagres.archive.state;

import io.chagres.archive.LogRecord;

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
}
