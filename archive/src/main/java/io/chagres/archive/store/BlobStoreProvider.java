package io.chagres.archive.store;

import java.io.IOException;

/** Opens stores of one scheme; found by {@link java.util.ServiceLoader}. */
public interface BlobStoreProvider {
    /** Returns the scheme without {@code ://}, such as {@code s3}. */
    String scheme();

    /** Opens a store; {@code create} allows to make it. */
    BlobStore open(String uri, boolean create) throws IOException;
}
