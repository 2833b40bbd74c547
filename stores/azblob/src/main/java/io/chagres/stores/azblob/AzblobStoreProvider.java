package io.chagres.stores.azblob;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreProvider;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.ReadAheadStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;

/**
 * Opens {@code azblob://container/prefix}. The parameter {@code account} names the storage account, else the variable
 * AZURE_STORAGE_ACCOUNT does; {@code endpoint} names another server than Azure's public one, such as one of another
 * cloud or an emulator. Credentials are those of Azure's own tools, never in the address. Stateless.
 */
public final class AzblobStoreProvider implements BlobStoreProvider {
    private static final String SCHEME = "azblob";

    /** Made by {@link java.util.ServiceLoader}. */
    public AzblobStoreProvider() {}

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public void check(String address) throws StoreException {
        parse(address).endpoint();
    }

    private static ObjectAddress parse(String address) throws StoreException {
        return ObjectAddress.parse(
                SCHEME, address, Set.of(ObjectAddress.ACCOUNT, ObjectAddress.ENDPOINT), AzblobClients.CREDENTIALS);
    }

    @Override
    public BlobStore open(String address, boolean create) throws IOException {
        Map<String, String> environment = System.getenv();
        BlobStore store = AzblobStore.open(inAccount(parse(address), environment), environment, create);
        return new ReadAheadStore(store, Executors.newVirtualThreadPerTaskExecutor());
    }

    /** The name of a store tells it from any other, so the account belongs into it. */
    private static ObjectAddress inAccount(ObjectAddress address, Map<String, String> environment) {
        Map<String, String> parameters = new HashMap<>(address.parameters());
        String account = environment.get("AZURE_STORAGE_ACCOUNT");
        if (account != null) {
            parameters.putIfAbsent(ObjectAddress.ACCOUNT, account);
        }
        return new ObjectAddress(address.scheme(), address.bucket(), address.prefix(), Map.copyOf(parameters));
    }
}
