package io.chagres.archive.store;

import java.io.IOException;
import java.util.function.Consumer;

/** Opens stores of one scheme; found by {@link java.util.ServiceLoader}. */
public interface BlobStoreProvider {
    /** Returns the scheme without {@code ://}, such as {@code s3}. */
    String scheme();

    /**
     * Checks an address without opening anything.
     *
     * @param address the whole address with the scheme
     * @throws StoreException when {@link #open} would refuse it for what it says
     */
    default void check(String address) throws StoreException {
        ObjectAddress.checkPlace(scheme(), address);
    }

    /**
     * Opens a store.
     *
     * @param address the whole address with the scheme
     * @param create whether to make the store when it is missing, and to check that it can be written
     * @param notes hears what a person should know and no answer shows, such as that a bucket is in another region than
     *     its address says, a sentence each, on any thread
     */
    BlobStore open(String address, boolean create, Consumer<String> notes) throws IOException;
}
