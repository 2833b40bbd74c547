package io.chagres.archive.store;

import io.chagres.testkit.ObjectServer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Runs the contract on a real server that the class has for itself, each test below a prefix of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ServerStoreContract extends BlobStoreContract {
    private static final String BUCKET = "bucket";

    private @Nullable ObjectServer server;
    private int opened;

    /** For the test of a store. */
    protected ServerStoreContract() {}

    /** Starts a server. */
    protected abstract ObjectServer start();

    /**
     * Opens a store in it.
     *
     * @param path a bucket that exists, and a new prefix
     */
    protected abstract BlobStore open(ObjectServer running, String path) throws IOException;

    @BeforeAll
    void startServer() {
        ObjectServer started = start();
        server = started;
        started.makeBucket(BUCKET);
    }

    @AfterAll
    void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected final BlobStore open() throws IOException {
        if (server == null) {
            throw new AssertionError("no server");
        }
        return open(server, BUCKET + "/our runs/\u65e5\u5fd7 \u00e9+%25/" + opened++);
    }
}
