package io.chagres.stores.gcs;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreProvider;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.ReadAheadStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.Executors;

/**
 * Opens {@code gs://bucket/prefix}. The parameter {@code endpoint} names another server than Google's own, such as a
 * private endpoint or an emulator. Credentials are the application default credentials of Google's tools, never in the
 * address. Stateless.
 */
public final class GcsStoreProvider implements BlobStoreProvider {
    private static final String SCHEME = "gs";

    /** Made by {@link java.util.ServiceLoader}. */
    public GcsStoreProvider() {}

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public void check(String address) throws StoreException {
        parse(address).endpoint();
    }

    @Override
    public BlobStore open(String address, boolean create) throws IOException {
        return new ReadAheadStore(GcsStore.open(parse(address), create), Executors.newVirtualThreadPerTaskExecutor());
    }

    private static ObjectAddress parse(String address) throws StoreException {
        return ObjectAddress.parse(
                SCHEME,
                address,
                Set.of(ObjectAddress.ENDPOINT),
                "GOOGLE_APPLICATION_CREDENTIALS, gcloud or the machine's service account");
    }
}
