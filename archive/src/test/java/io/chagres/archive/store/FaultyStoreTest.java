package io.chagres.archive.store;

import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;

/** Runs the contract on the decorator that interferes: without faults it changes nothing. */
class FaultyStoreTest extends BlobStoreContract {
    @Override
    protected BlobStore open() {
        return new FaultyStore(new MemoryStore(), FaultyStore.Faults.NONE);
    }
}
