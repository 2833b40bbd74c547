package io.chagres.forward;

import java.io.IOException;
import java.util.Map;

/**
 * One host's way into a sink. After any exception it is of no use: it is closed and opened again, which tells what
 * became of the last transaction. Confined to one thread.
 */
public interface HostSink extends AutoCloseable {
    /** Returns the positions that were committed when it was opened, by the ids of versions. */
    Map<Long, Position> positions();

    /**
     * Adds a record to the transaction. May block while the sink is slow.
     *
     * @param after where the version of the record stands once the record was taken: a sink whose transactions are not
     *     all or none may keep it, so that a failure later in the transaction does not send the record again
     * @return whether this record and all others of the transaction are known to be taken; else {@link #commit} says so
     * @throws SinkException when the sink does not take it
     */
    boolean send(ForwardedRecord record, Position after) throws IOException;

    /**
     * Makes the records sent since the last commit and these positions visible; all or none where the sink can.
     *
     * @param moved positions of versions that moved
     * @throws SinkFencedException when another forwarder took over
     * @throws SinkException when it is not known whether they are visible
     */
    void commit(Map<Long, Position> moved) throws IOException;

    @Override
    void close();
}
