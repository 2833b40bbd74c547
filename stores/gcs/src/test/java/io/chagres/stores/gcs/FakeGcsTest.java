package io.chagres.stores.gcs;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreContract;
import io.chagres.testkit.ObjectServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Runs the contract on a fake-gcs-server, each test below a prefix of its own. */
@Tag("it")
class FakeGcsTest extends BlobStoreContract {
    private static final String BUCKET = "bucket";
    private static ObjectServer server;
    private static int opened;

    @BeforeAll
    static void start() {
        server = ObjectServer.fakeGcs();
        server.makeBucket(BUCKET);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected BlobStore open() throws IOException {
        return new GcsStoreProvider()
                .open("gs://" + BUCKET + "/run" + opened++ + "/deep?endpoint=" + server.endpoint(), true);
    }
}
