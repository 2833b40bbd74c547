package io.chagres.forward;

import io.chagres.archive.HostRegistry;
import java.io.IOException;

/**
 * Where records go: a system that takes records and positions in one transaction. Confined to one thread.
 *
 * <p>What a sink promises: a reader of it sees the records of a transaction if and only if {@link HostSink#positions}
 * of every later {@link #open} of that host is what the transaction said.
 */
public interface Sink extends AutoCloseable {
    /** Returns how many records were refused for good: they are not sent again. */
    default long refusedRecords() {
        return 0;
    }

    /** Returns how long a value may be, in bytes; the forwarder cuts longer ones. At least 1. */
    int maxValueBytes();

    /**
     * Takes a host over from its present forwarder, and settles what became of the transaction that was under way.
     *
     * @throws SinkFencedException when another took over what this sink had opened before
     * @throws SinkException when that is not known now; to be tried again
     */
    HostSink open(HostRegistry.Owner host) throws IOException;

    @Override
    void close();
}
