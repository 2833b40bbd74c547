package io.chagres.archive.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store and passes everything on; what stands before one for a purpose overrides what it changes. Safe
 * for any thread as far as the store behind is.
 */
public abstract class ForwardingStore implements BlobStore {
    /** The store behind, closed with this one. */
    protected final BlobStore store;

    /**
     * Stands before a store.
     *
     * @param store gets every call that is not overridden
     */
    protected ForwardingStore(BlobStore store) {
        this.store = store;
    }

    /** Returns the first of a store and those behind it that is of a type, which only some are; null without one. */
    public static <T> @Nullable T findBehind(BlobStore store, Class<T> type) {
        return type.isInstance(store)
                ? type.cast(store)
                : store instanceof ForwardingStore forwarding ? findBehind(forwarding.store, type) : null;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        return store.putIfAbsent(key, content);
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        return store.create(key);
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        return store.get(key, offset, target);
    }

    @Override
    public long nowMs() throws IOException {
        return store.nowMs();
    }

    @Override
    public long size(String key) throws IOException {
        return store.size(key);
    }

    @Override
    public boolean exists(String key) throws IOException {
        return store.exists(key);
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        return store.page(prefix, afterKey, maxObjects);
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        return store.children(prefix);
    }

    @Override
    public void move(String key, String target, long maxBytes) throws IOException {
        store.move(key, target, maxBytes);
    }

    @Override
    public void delete(String key) throws IOException {
        store.delete(key);
    }

    @Override
    public void close() {
        store.close();
    }
}
