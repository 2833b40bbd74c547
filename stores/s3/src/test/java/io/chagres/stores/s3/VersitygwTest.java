package io.chagres.stores.s3;

import io.chagres.testkit.ObjectServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Runs the contract on a versitygw. */
@Tag("it")
class VersitygwTest extends S3ServerContract {
    private static ObjectServer started;

    VersitygwTest() {
        super(started);
    }

    @BeforeAll
    static void start() {
        started = prepared(ObjectServer.versitygw());
    }

    @AfterAll
    static void stop() {
        if (started != null) {
            started.close();
        }
    }
}
