package io.chagres.archive.query;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.state.CommitTimes;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** When the lines of a host were committed: looked up when the first one is found. Safe for any thread. */
public final class HostTimes {
    private final BlobStore store;
    private final String hostId;
    private final long seq;
    private final Supplier<Set<Long>> versionIds;
    private @Nullable CommitTimes loaded;

    /**
     * Reads nothing yet.
     *
     * @param seq the last commit that counts
     * @param versionIds the versions whose lines may be found
     */
    HostTimes(BlobStore store, String hostId, long seq, Supplier<Set<Long>> versionIds) {
        this.store = store;
        this.hostId = hostId;
        this.seq = seq;
        this.versionIds = versionIds;
    }

    /**
     * Returns them.
     *
     * @param faults takes what is damaged: lines are found all the same, but not in their order
     */
    public synchronized CommitTimes of(List<IOException> faults) throws IOException {
        CommitTimes times = loaded;
        if (times == null) {
            try {
                times = CommitTimes.load(store, hostId, seq, versionIds.get());
            } catch (CorruptArchiveException e) {
                faults.add(e);
                times = CommitTimes.NONE;
            }
            loaded = times;
        }
        return times;
    }
}
