package io.chagres.stores.s3;

import io.chagres.testkit.ObjectServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Runs the contract on a MinIO. */
class MinioTest extends S3ServerContract {
    private static ObjectServer started;

    MinioTest() {
        super(started);
    }

    @BeforeAll
    static void start() {
        started = prepared(ObjectServer.minio());
    }

    @AfterAll
    static void stop() {
        if (started != null) {
            started.close();
        }
    }
}
