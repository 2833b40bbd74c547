package io.chagres.forward;

import io.chagres.archive.HostRegistry;
import io.chagres.linux.Pathname;
import java.io.IOException;

/** Hears how forwarding proceeds. */
public interface ForwardListener {
    /**
     * Records of a host are visible: a transaction, or the part of one that a sink without transactions has taken. Each
     * record is counted once, also where the answer was lost and the sink said only later that it has it.
     */
    void committed(HostRegistry.Owner host, long records, long bytes) throws IOException;

    /** A sink did not answer; it is tried again, unless this throws. */
    void retried(HostRegistry.Owner host, SinkException cause) throws IOException;

    /** Bytes were expired by retention before they were forwarded. */
    void expired(HostRegistry.Owner host, Pathname path, long start, long end);
}
