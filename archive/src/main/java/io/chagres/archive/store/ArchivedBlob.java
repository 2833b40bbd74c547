package io.chagres.archive.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * An object in an archive tier: it is there, and the store gives its bytes only after somebody asked for it. Immutable.
 *
 * @param key its key
 * @param lengthBytes its size as it is stored
 * @param tier what the vendor calls the tier
 * @param isAsked whether somebody has asked for it already, and it is on its way
 */
public record ArchivedBlob(String key, long lengthBytes, String tier, boolean isAsked) {
    /** Says whether a store refuses the bytes of an object for its tier, by asking for one of them. */
    public static boolean isArchived(BlobStore store, String key) throws IOException {
        try {
            store.get(key, 0, MemorySegment.ofArray(new byte[1]));
            return false;
        } catch (NoSuchBlobException e) {
            return false;
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.ARCHIVED) {
                throw e;
            }
            return true;
        }
    }
}
