package io.chagres.archive.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A flat store of immutable objects. Keys are ASCII, components separated by {@code '/'}; no key is another one with
 * a slash and more behind it. Segments may be native or heap memory. Safe for any thread. Every method throws
 * {@link StoreException} when the store refuses: its message names the object and the cause.
 */
public interface BlobStore extends AutoCloseable {
    /** How many bytes are copied at a time where an object is moved. */
    int COPIED_BYTES = 1 << 20;

    /** Returns the store's name for messages; never holds credentials. */
    String name();

    /**
     * Creates an object unless its key exists; when this returns, an object of that key is durable.
     *
     * @param content the bytes, borrowed until return
     * @return false when the key exists, no matter who made it
     * @throws IOException when it is not known whether the object exists now: ask again with the same content
     */
    boolean putIfAbsent(String key, MemorySegment content) throws IOException;

    /** Begins an object under a new key; it is visible and durable after {@link BlobWriter#commit}. */
    BlobWriter create(String key) throws IOException;

    /** Returns the properties by which others choose how they use it. */
    default StoreTraits traits() {
        return StoreTraits.PLAIN;
    }

    /**
     * Reads from an offset of an object.
     *
     * @param target takes at most its size, borrowed until return
     * @return bytes read, fewer only at the end of the object; 0 at or behind the end
     * @throws NoSuchBlobException when the key does not exist
     */
    int get(String key, long offset, MemorySegment target) throws IOException;

    /** Returns the size of an object in bytes, or -1 when the key does not exist. */
    long size(String key) throws IOException;

    /** Says whether a key exists. Asks nothing of what the object holds, so it needs no key that opens it. */
    default boolean exists(String key) throws IOException {
        return size(key) >= 0;
    }

    /**
     * Lists keys that begin with a prefix, in the order of their bytes: as many as one request does, a thousand in most
     * stores and all of a directory.
     *
     * @param afterKey only keys behind this one, or null for all
     * @param maxObjects no more than this, at least 1
     */
    BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException;

    /** Lists the names directly below a prefix that ends with {@code '/'}, in order. */
    List<String> children(String prefix) throws IOException;

    /**
     * Returns a time of the store's clock that is not after its time now, in milliseconds since 1970, by its last
     * answer; {@link Long#MIN_VALUE} if it does not say. So ages are differences of two times of one clock, no matter
     * what the clock here says.
     */
    long nowMs() throws IOException;

    /**
     * Moves an object as it is stored. Ended on the way it leaves the object under its key, or under both.
     *
     * @param target a key that does not exist
     * @param maxBytes a larger object is not moved where that takes a copy
     * @throws StoreException when it was not moved; it is then where it was
     */
    default void move(String key, String target, long maxBytes) throws IOException {
        moveByCopy(this, key, target, maxBytes);
    }

    /** Moves an object by reading, making and removing one, see {@link #move}. */
    static void moveByCopy(BlobStore store, String key, String target, long maxBytes) throws IOException {
        long bytes = store.size(key);
        if (bytes > maxBytes) {
            throw new StoreException(
                    store.name() + ": " + key + ": it has " + bytes + " bytes, more than any object of its kind");
        }
        try (BlobWriter out = store.create(target);
                Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(COPIED_BYTES, 4096);
            long at = 0;
            for (int got = store.get(key, 0, piece); got > 0 && at <= maxBytes; got = store.get(key, at, piece)) {
                out.write(piece, 0, got);
                at += got;
            }
            if (at != bytes) {
                throw new StoreException(store.name() + ": " + key + ": it has other bytes than it said");
            }
            out.commit();
        }
        store.delete(key);
    }

    /** Removes an object; a key that does not exist is no error. */
    void delete(String key) throws IOException;

    @Override
    void close();
}
