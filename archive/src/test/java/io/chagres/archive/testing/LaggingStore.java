package io.chagres.archive.testing;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store whose listings show objects late; an object that is asked for by its key is there at once. */
public final class LaggingStore implements BlobStore {
    private final MemoryStore store;
    private final long lagMs;

    /** Stands before a store, by whose clock listings lag. */
    public LaggingStore(MemoryStore store, long lagMs) {
        this.store = store;
        this.lagMs = lagMs;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) {
        return store.putIfAbsent(key, content);
    }

    @Override
    public BlobWriter create(String key) {
        return store.create(key);
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        return store.get(key, offset, target);
    }

    @Override
    public long size(String key) {
        return store.size(key);
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        List<BlobInfo> shown = BlobList.all(store, prefix, afterKey).stream()
                .filter(object -> object.modifiedMs() <= store.nowMs() - lagMs)
                .toList();
        return BlobPage.of(shown, maxObjects);
    }

    @Override
    public List<String> children(String prefix) {
        return store.children(prefix);
    }

    @Override
    public long nowMs() {
        return store.nowMs();
    }

    @Override
    public void delete(String key) {
        store.delete(key);
    }

    @Override
    public void close() {
        store.close();
    }
}
