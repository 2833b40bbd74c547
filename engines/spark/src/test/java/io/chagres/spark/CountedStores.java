package io.chagres.spark;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreProvider;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.store.ForwardingStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Directories as {@code counted:///path}; counts the bytes that are read. */
public final class CountedStores implements BlobStoreProvider {
    static final AtomicLong BYTES = new AtomicLong();

    @Override
    public String scheme() {
        return "counted";
    }

    @Override
    public BlobStore open(String address, boolean create, Consumer<String> notes) throws IOException {
        return new ForwardingStore(BlobStores.open(address.substring("counted://".length()), create)) {
            @Override
            public int get(String key, long offset, MemorySegment target) throws IOException {
                int got = super.get(key, offset, target);
                BYTES.addAndGet(Math.max(0, got));
                return got;
            }
        };
    }
}
