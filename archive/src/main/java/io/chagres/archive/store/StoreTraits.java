package io.chagres.archive.store;

import io.chagres.linux.Pathname;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a store by which others choose how they use it. Immutable.
 *
 * @param holdsWritesInMemory whether a {@link BlobWriter} keeps the whole object in memory until it is committed
 * @param maxObjectBytes the most bytes that one object should hold: a store with little room is full before it ends
 * @param listsMayLag whether a list may leave out an object whose put was answered before: an object that must be there
 *     is then asked for by its key. False only where the store's maker promises it
 * @param isProven whether only what signatures prove is given of hosts, see {@code ProvenStore}
 * @param directory the local directory in which objects are files under their keys, so that inotify reports new ones;
 *     null when there is no such place
 */
public record StoreTraits(
        boolean holdsWritesInMemory,
        long maxObjectBytes,
        boolean listsMayLag,
        boolean isProven,
        @Nullable Pathname directory) {
    /** Those of a store that writes as it goes, and of whose lists nobody promises anything. */
    public static final StoreTraits PLAIN = new StoreTraits(false, Long.MAX_VALUE, true, false, null);

    /** Returns those of a store in a cloud. */
    public static StoreTraits ofCloud(boolean listsMayLag) {
        return new StoreTraits(true, Long.MAX_VALUE, listsMayLag, false, null);
    }

    /** Returns those of a store in a local directory. */
    public static StoreTraits of(Pathname directory) {
        return new StoreTraits(false, Long.MAX_VALUE, true, false, directory);
    }

    /** Says whether objects are files of this machine: what is asked of them costs no request. */
    public boolean isLocal() {
        return directory != null;
    }

    /** Returns a copy with another bound for objects. */
    public StoreTraits withMaxObjectBytes(long bytes) {
        return new StoreTraits(holdsWritesInMemory, bytes, listsMayLag, isProven, directory);
    }

    /** Returns a copy for a store that gives only what signatures prove. */
    public StoreTraits proven() {
        return new StoreTraits(holdsWritesInMemory, maxObjectBytes, listsMayLag, true, directory);
    }
}
