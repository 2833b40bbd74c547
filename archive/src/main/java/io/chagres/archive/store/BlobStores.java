package io.chagres.archive.store;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ServiceLoader;
import java.util.StringJoiner;

/** Opens a store by its address: a path, {@code file:///path}, or a scheme some provider knows. Stateless. */
public final class BlobStores {
    private static final String FILE = "file:";

    private BlobStores() {}

    /**
     * Opens a store.
     *
     * @param address a path or a URI
     * @param create whether to make what is missing, and to check that objects can be made
     * @throws StoreException when the scheme is not known or the store refuses
     */
    public static BlobStore open(String address, boolean create) throws IOException {
        if (address.startsWith(FILE)) {
            String path = address.substring(FILE.length());
            return DirectoryStore.open(Pathname.of(path.startsWith("//") ? path.substring(2) : path), create);
        }
        int end = address.indexOf("://");
        if (end < 0) {
            return DirectoryStore.open(Pathname.of(address), create);
        }
        StringJoiner known = new StringJoiner(", ").add("a path").add("file:///path");
        for (BlobStoreProvider provider : ServiceLoader.load(BlobStoreProvider.class)) {
            if (provider.scheme().equals(address.substring(0, end))) {
                return provider.open(address, create);
            }
            known.add(provider.scheme() + "://");
        }
        throw new StoreException("no store is known for " + address.substring(0, end) + "://; known are " + known);
    }
}
