package io.chagres.stores.s3;

import io.chagres.testkit.ObjectServer;
import org.junit.jupiter.api.Tag;

/** Runs the contract on a MinIO. */
@Tag("it")
class MinioTest extends S3ServerContract {
    @Override
    protected ObjectServer start() {
        return ObjectServer.minio();
    }
}
