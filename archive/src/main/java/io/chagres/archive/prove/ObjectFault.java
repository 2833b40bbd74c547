package io.chagres.archive.prove;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Makes words of why an object cannot be judged. Stateless. */
final class ObjectFault {
    /** Judges an object. */
    @FunctionalInterface
    interface Judge {
        /** Returns what is wrong; null for nothing. */
        @Nullable
        String fault() throws IOException;
    }

    private ObjectFault() {}

    /**
     * Returns what a judge says, or why it could not say anything.
     *
     * @throws IOException when the store does not answer at all
     */
    static @Nullable String of(BlobStore store, Judge judge) throws IOException {
        try {
            return judge.fault();
        } catch (CorruptArchiveException e) {
            return e.fault();
        } catch (NoSuchBlobException e) {
            return "missing";
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            return "it cannot be read: " + e.getMessage();
        }
    }

    /**
     * Says whether a key has an object, or something else that a reader of it names.
     *
     * @throws IOException when the store does not answer at all
     */
    static boolean exists(BlobStore store, String key) throws IOException {
        try {
            return store.exists(key);
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            return true;
        }
    }
}
