package io.chagres.stores.s3;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreContract;
import io.chagres.testkit.ObjectServer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Runs the contract on a versitygw. */
class VersitygwTest extends BlobStoreContract {
    private static @Nullable ObjectServer server;
    private static int opened;

    @BeforeAll
    static void start() throws IOException {
        ObjectServer started = ObjectServer.versitygw();
        server = started;
        Files.createDirectory(started.folder().resolve("bucket"));
        Map.of("aws.accessKeyId", started.accessKey(), "aws.secretAccessKey", started.secretKey())
                .forEach(System::setProperty);
    }

    @AfterAll
    static void stop() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected BlobStore open() throws IOException {
        return new S3StoreProvider().open("s3://bucket/run" + opened++ + "/deep?endpoint=" + server.endpoint(), true);
    }
}
