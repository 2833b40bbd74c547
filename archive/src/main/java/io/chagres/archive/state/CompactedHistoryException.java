package io.chagres.archive.state;

import java.io.IOException;
import java.time.Instant;

/** Says that a state of a host was asked for that lies before the part of a log that compaction has left. */
public final class CompactedHistoryException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Makes an exception.
     *
     * @param earliestMs the earliest state that can be read, milliseconds since 1970
     */
    public CompactedHistoryException(long earliestMs) {
        super("its history before " + Instant.ofEpochMilli(earliestMs) + " was compacted; choose a later time");
    }
}
