package io.chagres.archive.store;

import io.chagres.archive.testing.MemoryStore;

/** Runs the contract on the store in memory that other tests stand on. */
class MemoryStoreTest extends BlobStoreContract {
    @Override
    protected BlobStore open() {
        return new MemoryStore();
    }
}
