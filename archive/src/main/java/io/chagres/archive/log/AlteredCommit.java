package io.chagres.archive.log;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Refuses commits of a store that their writer knows to hold other bytes than were acknowledged. A reader of its
 * records may see nothing wrong: the damage may be behind them.
 */
final class AlteredCommit extends ForwardingStore {
    private final Set<String> altered;

    AlteredCommit(BlobStore store, Set<String> altered) {
        super(store);
        this.altered = altered;
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        if (altered.contains(key)) {
            throw CorruptArchiveException.altered(key);
        }
        return store.get(key, offset, target);
    }
}
