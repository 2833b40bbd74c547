package io.chagres.archive.log;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Refuses one commit of a store, which its writer knows to hold other bytes than were acknowledged. A reader of its
 * records may see nothing wrong: the damage may be behind them.
 */
final class AlteredCommit extends ForwardingStore {
    private final String key;

    AlteredCommit(BlobStore store, String key) {
        super(store);
        this.key = key;
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        if (key.equals(this.key)) {
            throw CorruptArchiveException.altered(key);
        }
        return store.get(key, offset, target);
    }
}
