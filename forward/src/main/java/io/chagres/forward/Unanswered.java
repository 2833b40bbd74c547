package io.chagres.forward;

import io.chagres.archive.HostRegistry;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The records of one host that were sent and for which there is no answer yet. All of them were taken or none, and
 * where the answer is lost the positions of the next opening say which. Confined to one thread.
 */
final class Unanswered {
    private long records;
    private long bytes;
    private long version; // of the last one
    private @Nullable Position after; // the last one

    /** A record is about to be sent. */
    void add(ForwardedRecord record, Position then) {
        records++;
        bytes += record.value().length;
        version = record.version();
        after = then;
    }

    /** They were taken: says so. */
    void taken(HostRegistry.Owner host, ForwardListener listener) throws IOException {
        long takenRecords = records;
        long takenBytes = bytes;
        clear();
        listener.committed(host, takenRecords, takenBytes);
    }

    /** The host was opened again: its positions say whether they were taken, and if so this says it. */
    void settle(Map<Long, Position> positions, HostRegistry.Owner host, ForwardListener listener) throws IOException {
        Position now = positions.get(version);
        if (after != null && now != null && now.reaches(after)) {
            taken(host, listener);
        }
        clear();
    }

    private void clear() {
        records = 0;
        bytes = 0;
        after = null;
    }
}
