package io.chagres.archive.store;

/**
 * The properties of a store by which others choose how they use it. Immutable.
 *
 * @param holdsWritesInMemory whether a {@link BlobWriter} keeps the whole object in memory until it is committed
 * @param maxObjectBytes the most bytes that one object should hold: a store with little room is full before it ends
 * @param listsMayLag whether a list may leave out an object whose put was answered before: an object that must be there
 *     is then asked for by its key. False only where the store's maker promises it
 * @param isProven whether only what signatures prove is given of hosts, see {@code ProvenStore}
 */
public record StoreTraits(boolean holdsWritesInMemory, long maxObjectBytes, boolean listsMayLag, boolean isProven) {
    /** Those of a store that writes as it goes, and of whose lists nobody promises anything. */
    public static final StoreTraits PLAIN = new StoreTraits(false, Long.MAX_VALUE, true, false);

    /** Returns those of a store in a cloud. */
    public static StoreTraits ofCloud(boolean listsMayLag) {
        return new StoreTraits(true, Long.MAX_VALUE, listsMayLag, false);
    }

    /** Returns a copy with another bound for objects. */
    public StoreTraits withMaxObjectBytes(long bytes) {
        return new StoreTraits(holdsWritesInMemory, bytes, listsMayLag, isProven);
    }

    /** Returns a copy for a store that gives only what signatures prove. */
    public StoreTraits proven() {
        return new StoreTraits(holdsWritesInMemory, maxObjectBytes, listsMayLag, true);
    }
}
