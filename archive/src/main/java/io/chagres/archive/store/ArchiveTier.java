package io.chagres.archive.store;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A store with an archive tier: objects there give their bytes only after they were asked for. Safe for any thread.
 * Every method throws {@link StoreException} when the store refuses.
 */
public interface ArchiveTier {
    /** Returns that of a store, or one in which nothing is. */
    static ArchiveTier of(BlobStore store) {
        ArchiveTier tier = ForwardingStore.findBehind(store, ArchiveTier.class);
        return tier != null ? tier : new ArchiveTier() {};
    }

    /**
     * Returns an object as it is archived if the store gives none of its bytes now, by asking for one of them; null
     * where they can be read, and where there is no such object.
     */
    default @Nullable ArchivedBlob find(String key) throws IOException {
        return null;
    }

    /**
     * Asks for an object to be brought back. That costs what the vendor charges for the class.
     *
     * @param days how long a copy stays, at least 1, where the vendor makes one; elsewhere it stays out of that tier
     * @throws StoreException when the store does not know the class for this object, too
     */
    default void thaw(ArchivedBlob blob, ThawClass thawClass, int days) throws IOException {
        throw new StoreException(blob.key() + ": the store has no archive tier");
    }
}
