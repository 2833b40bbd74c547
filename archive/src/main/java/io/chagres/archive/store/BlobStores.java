package io.chagres.archive.store;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ServiceLoader;
import java.util.StringJoiner;

/** Opens a store by its address: a path, {@code file:///path}, or a scheme some provider knows. */
public final class BlobStores {
    private static final String FILE = "file://";

    private BlobStores() {}

    /**
     * Opens a store.
     *
     * @param address a path or a URI
     * @param create whether a missing directory is made
     * @throws StoreException when the scheme is not known or the store refuses
     */
    public static BlobStore open(String address, boolean create) throws IOException {
        int scheme = address.indexOf("://");
        if (scheme < 0) {
            return DirectoryStore.open(Pathname.of(address), create);
        }
        if (address.startsWith(FILE)) {
            return DirectoryStore.open(Pathname.of(address.substring(FILE.length())), create);
        }
        StringJoiner known = new StringJoiner(", ").add("a path").add("file://");
        for (BlobStoreProvider provider : ServiceLoader.load(BlobStoreProvider.class)) {
            if (provider.scheme().equals(address.substring(0, scheme))) {
                return provider.open(address, create);
            }
            known.add(provider.scheme() + "://");
        }
        throw new StoreException(
                "no store for " + address.substring(0, scheme) + "://; known are " + known);
    }
}
