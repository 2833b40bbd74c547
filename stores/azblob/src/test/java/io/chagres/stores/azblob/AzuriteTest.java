package io.chagres.stores.azblob;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreContract;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.testkit.ObjectServer;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Runs the contract on an Azurite, each test below a prefix of its own. */
@Tag("it")
class AzuriteTest extends BlobStoreContract {
    private static final String CONTAINER = "container";
    private static ObjectServer server;
    private static int opened;

    @BeforeAll
    static void start() {
        server = ObjectServer.azurite();
        server.makeBucket(CONTAINER);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected BlobStore open() throws IOException {
        ObjectAddress address = ObjectAddress.parse(
                "azblob",
                "azblob://" + CONTAINER + "/run" + opened++ + "/100%25+deep?account=" + server.accessKey()
                        + "&endpoint=" + server.endpoint(),
                Set.of(ObjectAddress.ACCOUNT, ObjectAddress.ENDPOINT),
                "");
        return AzblobStore.open(address, Map.of("AZURE_STORAGE_KEY", server.secretKey()), true);
    }
}
