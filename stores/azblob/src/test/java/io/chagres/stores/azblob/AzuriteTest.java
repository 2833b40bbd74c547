package io.chagres.stores.azblob;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.ServerStoreContract;
import io.chagres.testkit.ObjectServer;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** Runs the contract on an Azurite. */
@Tag("it")
class AzuriteTest extends ServerStoreContract {
    @Override
    protected ObjectServer start() {
        return ObjectServer.azurite();
    }

    @Override
    protected BlobStore open(ObjectServer running, String path) throws IOException {
        ObjectAddress address = ObjectAddress.parse(
                "azblob",
                "azblob://" + path + "/100%25+deep?account=" + running.accessKey() + "&endpoint=" + running.endpoint(),
                Set.of(ObjectAddress.ACCOUNT, ObjectAddress.ENDPOINT),
                "");
        return AzblobStore.open(address, Map.of("AZURE_STORAGE_KEY", running.secretKey()), true);
    }
}
