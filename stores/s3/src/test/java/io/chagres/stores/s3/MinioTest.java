package io.chagres.stores.s3;

import io.chagres.testkit.ObjectServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Runs the contract on a MinIO. */
@Tag("it")
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
