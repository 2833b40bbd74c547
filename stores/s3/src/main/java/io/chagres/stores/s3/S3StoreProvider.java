package io.chagres.stores.s3;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreProvider;
import io.chagres.archive.store.ReadAheadStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.concurrent.Executors;

/**
 * Opens {@code s3://bucket/prefix}. Parameters behind a question mark: {@code region}, {@code endpoint} for the stores
 * of other makers, {@code path-style} (true or false; true with an endpoint). Credentials come from where the AWS tools
 * take them, never from the address. Stateless.
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
        S3Address.parse(address);
    }

    @Override
    public BlobStore open(String address, boolean create) throws IOException {
        return new ReadAheadStore(
                S3Store.open(S3Address.parse(address), create), Executors.newVirtualThreadPerTaskExecutor());
    }
}
