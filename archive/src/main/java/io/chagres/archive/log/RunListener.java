package io.chagres.archive.log;

import io.chagres.archive.Record;

/** Hears of versions and extents while a log is applied, in the order of the log. */
public interface RunListener {
    /** Hears nothing. */
    RunListener NONE = new RunListener() {
        @Override
        public void opened(Record.VersionOpened opened) {}

        @Override
        public void extent(Record.Extent extent) {}
    };

    /** A version begins. */
    void opened(Record.VersionOpened opened);

    /** A version goes on. */
    void extent(Record.Extent extent);
}
