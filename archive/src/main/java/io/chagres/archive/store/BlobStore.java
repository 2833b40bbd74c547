package io.chagres.archive.store;

import io.chagres.archive.age.KeyRing;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
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

    /**
     * Says what will be read soon, in this order: where answers take their time several parts may be fetched at once.
     * Earlier calls are forgotten.
     *
     * @param ranges asked for step by step, by calls of this store's methods on any thread
     */
    default void expect(Iterator<BlobRange> ranges) {}

    /**
     * Says that bytes which were read of an object look damaged. None that were fetched ahead or are kept will be given
     * again, because they may have been damaged on their way.
     */
    default void forget(String key) {}

    /** Returns the size of an object in bytes, or -1 when the key does not exist. */
    long size(String key) throws IOException;

    /** Says whether a key exists. Asks nothing of what the object holds, so it needs no key that opens it. */
    default boolean exists(String key) throws IOException {
        return size(key) >= 0;
    }

    /**
     * Returns an object as it is archived if the store gives none of its bytes now, by asking for one of them; null
     * where they can be read, and where there is no such object.
     */
    default @Nullable ArchivedBlob archived(String key) throws IOException {
        return null;
    }

    /**
     * Asks for an object to be brought back from an archive tier. That costs what the vendor charges for the class.
     *
     * @param days how long a copy stays, at least 1, where the vendor makes one; elsewhere it stays out of that tier
     * @throws StoreException when the store does not know the class for this object, too
     */
    default void thaw(ArchivedBlob blob, ThawClass thawClass, int days) throws IOException {
        throw new StoreException(name() + ": it has no archive tier");
    }

    /**
     * Lists keys that begin with a prefix, in the order of their bytes: as many as one request does, a thousand in most
     * stores and all of a directory.
     *
     * @param afterKey only keys behind this one, or null for all
     * @param maxObjects no more than this, at least 1
     */
    BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException;

    /**
     * Lists all keys that begin with a prefix, page by page.
     *
     * @param afterKey only keys behind this one, or null for all
     */
    default List<BlobInfo> list(String prefix, @Nullable String afterKey) throws IOException {
        BlobPage page = page(prefix, afterKey, Integer.MAX_VALUE);
        if (page.isLast()) {
            return page.objects();
        }
        BlobList all = new BlobList();
        all.addAll(page.objects());
        while (!page.isLast()) {
            String last = all.getLast().key();
            page = page(prefix, last, Integer.MAX_VALUE);
            if (!page.isLast() && page.objects().getFirst().key().compareTo(last) <= 0) {
                throw new StoreException(name() + ": a list does not continue behind " + last);
            }
            all.addAll(page.objects());
        }
        return all;
    }

    /** Returns the first object of {@link #list}, or null when there is none; one request. */
    default @Nullable BlobInfo first(String prefix) throws IOException {
        List<BlobInfo> found = page(prefix, null, 1).objects();
        return found.isEmpty() ? null : found.getFirst();
    }

    /**
     * Says that what is there has changed since it was listed: no list below a prefix is answered by what was listed
     * before this call.
     *
     * @param prefix ends with {@code '/'}
     */
    default void forgetLists(String prefix) {}

    /**
     * Names the listener for what a person should know and no answer shows, such as that a bucket is in another region
     * than its address says. It hears at once what was noted before, and later things as they come.
     *
     * @param listener takes one sentence, on any thread
     */
    default void tell(Consumer<String> listener) {}

    /** Lists the names directly below a prefix that ends with {@code '/'}, in order. */
    List<String> children(String prefix) throws IOException;

    /**
     * Returns the local directory in which the objects below a prefix are files, so that inotify reports new ones; null
     * when there is no such place.
     *
     * @param prefix ends with {@code '/'}
     */
    default @Nullable Pathname directory(String prefix) {
        return null;
    }

    /** Returns the keys that objects are read and written with here. */
    default KeyRing keyRing() {
        return KeyRing.NONE;
    }

    /** Returns the store in which objects are as they are stored, encrypted where they are. */
    default BlobStore stored() {
        return this;
    }

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
