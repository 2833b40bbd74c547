package io.chagres.archive.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stands before a store and keeps some of what it read there, or fetches it ahead. Safe for any thread. */
public abstract class CachingStore extends ForwardingStore {
    /**
     * Bytes of an object that are here.
     *
     * @param offset of the first one in the object
     * @param isLast whether the object ends behind them
     */
    public record Piece(long offset, byte[] bytes, boolean isLast) {}

    /**
     * Stands before a store.
     *
     * @param store gets every call that is not overridden
     */
    protected CachingStore(BlobStore store) {
        super(store);
    }

    /**
     * Says what will be read soon of a store, in this order: where answers take their time several parts may be fetched
     * at once. Earlier calls are forgotten.
     *
     * @param ranges asked for step by step, by calls of the store's methods on any thread
     */
    public static void expect(BlobStore store, Iterator<BlobRange> ranges) {
        CachingStore cache = findBehind(store, CachingStore.class);
        if (cache != null) {
            cache.expect(ranges);
        }
    }

    /**
     * Says that what was read of a store may be wrong or old: nothing that was fetched ahead or is kept is given again.
     *
     * @param key an object whose bytes look damaged, because they may have been damaged on their way; or a prefix that
     *     ends with {@code '/'}, below which lists may have changed
     */
    public static void forget(BlobStore store, String key) {
        CachingStore cache = findBehind(store, CachingStore.class);
        if (cache != null) {
            cache.forget(key);
        }
    }

    /** Returns a map of the entries that were used last, for any thread. */
    protected static <K, V> Map<K, V> recent(int most) {
        return Collections.synchronizedMap(new LinkedHashMap<>(64, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        });
    }

    /** Hears what will be read here; as it is, it tells the store behind. */
    protected void expect(Iterator<BlobRange> ranges) {
        expect(store, ranges);
    }

    /** Forgets what is here, and tells the store behind. */
    protected void forget(String key) {
        forget(store, key);
    }

    /** Returns bytes of an object from a position on or before it; null when the store behind is to be asked. */
    protected @Nullable Piece piece(String key, long position) throws IOException {
        return null;
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        int wanted = (int) Math.min(target.byteSize(), Integer.MAX_VALUE);
        int done = 0;
        while (done < wanted) {
            long at = offset + done;
            Piece piece = piece(key, at);
            if (piece == null) {
                return done + store.get(key, at, target.asSlice(done, wanted - done));
            }
            int from = (int) Math.min(at - piece.offset, piece.bytes.length); // it may lie behind the end
            int length = Math.min(piece.bytes.length - from, wanted - done);
            MemorySegment.copy(piece.bytes, from, target, ValueLayout.JAVA_BYTE, done, length);
            done += length;
            if (piece.isLast || length == 0) {
                break;
            }
        }
        return done;
    }
}
