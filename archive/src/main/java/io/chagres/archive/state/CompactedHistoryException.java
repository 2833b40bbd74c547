package io.chagres.archive.state;

import java.io.IOException;
import java.time.Instant;

/** Says that a state was asked for that lies before the part of a log that compaction has left. */
public final class CompactedHistoryException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Makes an exception.
     *
     * @param hostId the host
     * @param earliestMs the earliest state that can be read, milliseconds since 1970
     */
    public CompactedHistoryException(String hostId, long earliestMs) {
        super("the history of host " + hostId + " before " + Instant.ofEpochMilli(earliestMs)
                + " was compacted; choose a later time");
    }
}
