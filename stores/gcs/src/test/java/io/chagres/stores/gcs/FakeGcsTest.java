package io.chagres.stores.gcs;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ServerStoreContract;
import io.chagres.testkit.ObjectServer;
import java.io.IOException;
import org.junit.jupiter.api.Tag;

/** Runs the contract on a fake-gcs-server. */
@Tag("it")
class FakeGcsTest extends ServerStoreContract {
    @Override
    protected ObjectServer start() {
        return ObjectServer.fakeGcs();
    }

    @Override
    protected BlobStore open(ObjectServer running, String path) throws IOException {
        return new GcsStoreProvider().open("gs://" + path + "/deep?endpoint=" + running.endpoint(), true, note -> {});
    }
}
