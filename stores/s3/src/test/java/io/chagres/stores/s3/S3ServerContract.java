package io.chagres.stores.s3;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStoreContract;
import io.chagres.testkit.ObjectServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;

/** Runs the contract on a real server, each test below a prefix of its own. */
abstract class S3ServerContract extends BlobStoreContract {
    private static final String BUCKET = "bucket";
    private static int opened;

    private final ObjectServer server;

    S3ServerContract(ObjectServer server) {
        this.server = server;
    }

    /** Makes the bucket, and the credentials known to this process. */
    static ObjectServer prepared(ObjectServer server) {
        server.makeBucket(BUCKET);
        System.setProperty("aws.accessKeyId", server.accessKey());
        System.setProperty("aws.secretAccessKey", server.secretKey());
        return server;
    }

    @AfterAll
    static void forgetCredentials() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @Override
    protected BlobStore open() throws IOException {
        return new S3StoreProvider()
                .open("s3://" + BUCKET + "/run" + opened++ + "/deep?endpoint=" + server.endpoint(), true);
    }
}
