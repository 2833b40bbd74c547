package io.chagres.stores.s3;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreProvider;
import io.chagres.archive.store.ReadAheadStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Opens {@code s3://bucket/prefix}, where an access point's ARN may stand for the bucket. Parameters behind a question
 * mark: {@code region}, {@code endpoint} for the stores of other makers, {@code path-style} (true or false; true with
 * an endpoint), those of {@link io.chagres.archive.store.TlsFiles}, and those of {@link S3Headers}. Credentials come
 * from where the AWS tools take them, never from the address. Stateless.
 */
public final class S3StoreProvider implements BlobStoreProvider {
    /** Made by {@link java.util.ServiceLoader}. */
    public S3StoreProvider() {}

    @Override
    public String scheme() {
        return S3Address.SCHEME;
    }

    @Override
    public void check(String address) throws StoreException {
        S3Clients.tls(S3Address.parse(address).place().parameters(), System.getenv());
    }

    @Override
    public BlobStore open(String address, boolean create, Consumer<String> notes) throws IOException {
        return new ReadAheadStore(
                S3Store.open(S3Address.parse(address), System.getenv(), create, notes),
                Executors.newVirtualThreadPerTaskExecutor());
    }
}
