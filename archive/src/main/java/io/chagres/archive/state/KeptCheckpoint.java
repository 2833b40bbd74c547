package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store and keeps a checkpoint that one request gave whole, if it is small beside the state that it
 * becomes. It keeps it until it is read once more: first for the names of a host, then for where its bytes are. Safe
 * for any thread.
 */
final class KeptCheckpoint extends ForwardingStore {
    private static final int MAX_BYTES = 64 * 1024;

    private final String prefix;
    private @Nullable String key;
    private byte[] bytes = {};

    KeptCheckpoint(BlobStore store, String hostId) {
        super(store);
        prefix = ArchiveLayout.checkpoints(hostId);
    }

    @Override
    public int get(String wanted, long offset, MemorySegment target) throws IOException {
        if (offset > 0 || !wanted.startsWith(prefix)) {
            return store.get(wanted, offset, target);
        }
        byte[] kept = take(wanted);
        if (kept != null && kept.length < target.byteSize()) {
            MemorySegment.copy(kept, 0, target, ValueLayout.JAVA_BYTE, 0, kept.length);
            return kept.length;
        }
        int got = store.get(wanted, 0, target);
        if (kept == null && got < target.byteSize() && got <= MAX_BYTES) {
            keep(wanted, target.asSlice(0, Math.max(0, got)).toArray(ValueLayout.JAVA_BYTE));
        }
        return got;
    }

    private synchronized byte @Nullable [] take(String wanted) {
        byte[] kept = wanted.equals(key) ? bytes : null;
        drop();
        return kept;
    }

    private synchronized void keep(String read, byte[] all) {
        key = read;
        bytes = all;
    }

    private synchronized void drop() {
        key = null;
        bytes = new byte[0];
    }

    @Override
    public void forget(String damaged) {
        drop();
        super.forget(damaged);
    }
}
