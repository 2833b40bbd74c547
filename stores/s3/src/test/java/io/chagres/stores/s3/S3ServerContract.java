package io.chagres.stores.s3;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ServerStoreContract;
import io.chagres.testkit.ObjectServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;

/** Runs the contract on a server of S3, whose credentials this process then knows. */
abstract class S3ServerContract extends ServerStoreContract {
    @Override
    protected BlobStore open(ObjectServer running, String path) throws IOException {
        System.setProperty("aws.accessKeyId", running.accessKey());
        System.setProperty("aws.secretAccessKey", running.secretKey());
        return new S3StoreProvider().open("s3://" + path + "/deep?endpoint=" + running.endpoint(), true);
    }

    @AfterAll
    void forgetCredentials() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }
}
