package io.chagres.stores.gcs;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreProvider;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.ReadAheadStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Opens {@code gs://bucket/prefix}. The parameter {@code endpoint} names another server than Google's own, such as a
 * private endpoint or an emulator; {@code kms-key}, {@code storage-class} (of data objects), {@code acl} and {@code
 * requester-pays} say how objects are kept; and there are those of {@link TlsFiles}. Credentials are the application
 * default credentials of Google's tools, never in the address. Stateless.
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
        ObjectAddress parsed = parse(address);
        parsed.endpoint();
        GcsOptions.of(parsed);
        TlsFiles.of(parsed.parameters(), List.of(), System.getenv());
    }

    @Override
    public BlobStore open(String address, boolean create, Consumer<String> notes) throws IOException {
        return new ReadAheadStore(
                GcsStore.open(parse(address), System.getenv(), create), Executors.newVirtualThreadPerTaskExecutor());
    }

    static ObjectAddress parse(String address) throws StoreException {
        Set<String> known = new HashSet<>(GcsOptions.PARAMETERS);
        known.addAll(TlsFiles.PARAMETERS);
        known.add(ObjectAddress.ENDPOINT);
        return ObjectAddress.parse(
                SCHEME, address, known, "GOOGLE_APPLICATION_CREDENTIALS, gcloud or the machine's service account");
    }
}
