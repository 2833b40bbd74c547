package io.chagres.archive.store;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ServiceLoader;
import java.util.StringJoiner;

/** Opens a store by its address: a path, {@code file:///path}, or a scheme some provider knows. Stateless. */
public final class BlobStores {
    private static final String FILE = "file:";

    private static final long DIRECTORY_LAG_MS = 1_000;
    private static final long OBJECT_STORE_LAG_MS = 10_000;

    private BlobStores() {}

    /**
     * Returns how long bytes should be collected for one commit, in milliseconds: short where a commit costs nothing
     * but a few writes, longer where each put is paid for.
     *
     * @param address a path or a URI
     */
    public static long suggestedLagMs(String address) {
        return address.startsWith(FILE) || !address.contains("://") ? DIRECTORY_LAG_MS : OBJECT_STORE_LAG_MS;
    }

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
            return directory(address, path.startsWith("//") ? path.substring(2) : path, create);
        }
        int end = address.indexOf("://");
        if (end < 0) {
            return directory(address, address, create);
        }
        StringJoiner known = new StringJoiner(", ").add("a path").add("file:///path");
        for (BlobStoreProvider provider : ServiceLoader.load(BlobStoreProvider.class)) {
            if (provider.scheme().equals(address.substring(0, end))) {
                return provider.open(address, create);
            }
            known.add(provider.scheme() + "://");
        }
        String packages =
                ServiceLoader.load(BlobStoreProvider.class).findFirst().isPresent()
                        ? ""
                        : "; those of object stores come with the package chagres-stores";
        throw new StoreException(
                "no store is known for " + address.substring(0, end) + "://; known are " + known + packages);
    }

    /** An empty path would be the working directory: it is mostly a variable that is not set. */
    private static BlobStore directory(String address, String path, boolean create) throws IOException {
        if (path.isEmpty()) {
            throw new StoreException("the archive '" + address + "' has no path; '.' is the working directory");
        }
        return DirectoryStore.open(Pathname.of(path), create);
    }
}
