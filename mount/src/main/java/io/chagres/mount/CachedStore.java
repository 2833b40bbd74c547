package io.chagres.mount;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.CachingStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Stands before a store whose answers cost time and money and keeps what it read in a {@link DiskCache}. Objects never
 * change, so what is kept stays right. Reads only. Safe for any thread.
 */
public final class CachedStore extends CachingStore {
    private final DiskCache cache;

    /**
     * Stands before a store.
     *
     * @param store is closed with this one
     * @param cache is closed with this one
     */
    public CachedStore(BlobStore store, DiskCache cache) {
        super(store);
        this.cache = cache;
    }

    @Override
    protected Piece piece(String key, long position) throws IOException {
        long part = position / DiskCache.PART_BYTES;
        byte[] bytes = part(key, part);
        return new Piece(part * DiskCache.PART_BYTES, bytes, bytes.length < DiskCache.PART_BYTES);
    }

    private byte[] part(String key, long part) throws IOException {
        byte[] kept = cache.get(store.name(), key, part);
        if (kept != null) {
            return kept;
        }
        byte[] bytes = new byte[DiskCache.PART_BYTES];
        int got = store.get(key, part * DiskCache.PART_BYTES, MemorySegment.ofArray(bytes));
        byte[] fetched = got == DiskCache.PART_BYTES ? bytes : Arrays.copyOf(bytes, Math.max(0, got));
        cache.put(store.name(), key, part, fetched);
        return fetched;
    }

    @Override
    public void forget(String key) {
        try {
            for (long part = key.endsWith("/") ? -1 : store.size(key) / DiskCache.PART_BYTES; part >= 0; part--) {
                cache.remove(store.name(), key, part);
            }
        } catch (IOException e) {
            // anybody who reads it hears the same
        }
        super.forget(key);
    }

    @Override
    public long size(String key) throws IOException {
        byte[] first = cache.get(store.name(), key, 0);
        return first != null && first.length < DiskCache.PART_BYTES ? first.length : store.size(key);
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) {
        throw new UnsupportedOperationException("a mount writes nothing");
    }

    @Override
    public BlobWriter create(String key) {
        throw new UnsupportedOperationException("a mount writes nothing");
    }

    @Override
    public void delete(String key) {
        throw new UnsupportedOperationException("a mount removes nothing");
    }

    @Override
    public void close() {
        cache.close();
        super.close();
    }
}
