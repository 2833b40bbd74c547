package io.chagres.stores.azblob;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreProvider;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.ReadAheadStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Opens {@code azblob://container/prefix}. The parameter {@code account} names the storage account, else the variable
 * AZURE_STORAGE_ACCOUNT does; {@code endpoint} names another server than Azure's public one, such as one of another
 * cloud or an emulator; {@code encryption-scope}, {@code storage-class} (the tier of data objects) and {@code tags} say
 * how objects are kept; and there are those of {@link TlsFiles}. Credentials are those of Azure's own tools, never in
 * the address. Stateless.
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
        ObjectAddress parsed = parse(address);
        parsed.endpoint();
        AzblobOptions.of(parsed);
        TlsFiles.of(parsed.parameters(), List.of(), System.getenv());
    }

    static ObjectAddress parse(String address) throws StoreException {
        Set<String> known = new HashSet<>(AzblobOptions.PARAMETERS);
        known.addAll(TlsFiles.PARAMETERS);
        known.addAll(Set.of(ObjectAddress.ACCOUNT, ObjectAddress.ENDPOINT));
        return ObjectAddress.parse(SCHEME, address, known, AzblobClients.CREDENTIALS);
    }

    @Override
    public BlobStore open(String address, boolean create, Consumer<String> notes) throws IOException {
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
