package io.chagres.archive.store;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.StringJoiner;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Opens a store by its address: a path, {@code file:///path}, or a scheme some provider knows. Stateless. */
public final class BlobStores {
    private static final long DIRECTORY_LAG_MS = 1_000;
    private static final long OBJECT_STORE_LAG_MS = 10_000;

    private BlobStores() {}

    /**
     * Returns how long bytes should be collected for one commit there, in milliseconds: short where a commit costs
     * nothing but a few writes, longer where each put is paid for.
     */
    public static long suggestedLagMs(StoreAddress address) {
        return address.isDirectory() ? DIRECTORY_LAG_MS : OBJECT_STORE_LAG_MS;
    }

    /**
     * Checks what can be checked without opening anything; a store whose provider is not {@linkplain #isInstalled
     * installed} is not asked.
     *
     * @throws StoreException when {@link #open} would refuse the address
     */
    public static StoreAddress check(String address) throws StoreException {
        StoreAddress parsed = StoreAddress.parse(address);
        if (!parsed.isDirectory()) {
            BlobStoreProvider provider = provider(parsed);
            if (provider != null) {
                provider.check(address);
            } else if (parsed.isKnown()) {
                ObjectAddress.checkPlace(Objects.requireNonNull(parsed.scheme()), address);
            } else {
                throw unknown(parsed);
            }
        }
        return parsed;
    }

    /**
     * Opens a store for somebody who has a way of their own to wait while it is away: it passes over short troubles.
     *
     * @param address a path or a URI
     * @param create whether to make what is missing, and to check that objects can be made
     * @param notes hears what a person should know meanwhile, a sentence each, on any thread
     * @throws StoreException when the address is none, the scheme is not known or the store refuses
     */
    public static BlobStore open(String address, boolean create, Consumer<String> notes) throws IOException {
        return PatientStore.of(opened(address, create, notes), AnswerTimeout.SHORT, null, notes);
    }

    /** Opens a store as {@link #open(String, boolean, Consumer)} does, for somebody whom notes do not help. */
    public static BlobStore open(String address, boolean create) throws IOException {
        return open(address, create, note -> {});
    }

    /**
     * Opens a store that exists, for a command.
     *
     * @param address a path or a URI
     * @param patience how long it may be away
     * @param threads wait for its answers, one for each question
     * @param notes hears what a person should know meanwhile, a sentence each, on any thread
     * @throws StoreException when the address is none, the scheme is not known or the store refuses
     */
    public static BlobStore open(String address, AnswerTimeout patience, Executor threads, Consumer<String> notes)
            throws IOException {
        return PatientStore.of(opened(address, false, notes), patience, threads, notes);
    }

    private static BlobStore opened(String address, boolean create, Consumer<String> notes) throws IOException {
        StoreAddress parsed = StoreAddress.parse(address);
        if (parsed.isDirectory()) {
            return DirectoryStore.open(Pathname.of(parsed.path()), create);
        }
        BlobStoreProvider provider = provider(parsed);
        if (provider == null) {
            throw unknown(parsed);
        }
        return provider.open(address, create, notes);
    }

    /** Says whether what opens an address is here, so that all of it can be checked. */
    public static boolean isInstalled(String address) throws StoreException {
        StoreAddress parsed = StoreAddress.parse(address);
        return parsed.isDirectory() || provider(parsed) != null;
    }

    private static @Nullable BlobStoreProvider provider(StoreAddress address) {
        for (BlobStoreProvider provider : ServiceLoader.load(BlobStoreProvider.class)) {
            if (provider.scheme().equals(address.scheme())) {
                return provider;
            }
        }
        return null;
    }

    private static StoreException unknown(StoreAddress address) {
        StringJoiner known = new StringJoiner(", ").add("a path").add("file:///path");
        boolean any = false;
        for (BlobStoreProvider provider : ServiceLoader.load(BlobStoreProvider.class)) {
            known.add(provider.scheme() + "://");
            any = true;
        }
        return new StoreException("no store is known for " + address.scheme() + "://; known are " + known
                + (any ? "" : "; those of object stores come with the package chagres-stores"));
    }
}
