package io.chagres.stores.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import io.chagres.testkit.ScriptedServer;
import io.chagres.testkit.ScriptedServer.Answer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers of servers, and what the store makes of them. */
class S3RefusalTest {
    private static final Map<String, String> CREDENTIALS =
            Map.of("aws.accessKeyId", "AKIDSECRET", "aws.secretAccessKey", "KEYSECRET");

    private final ScriptedServer server = new ScriptedServer(new Answer(200, Map.of(), ""));

    @BeforeEach
    void start() {
        CREDENTIALS.forEach(System::setProperty);
    }

    @AfterEach
    void stop() {
        server.close();
        CREDENTIALS.keySet().forEach(System::clearProperty);
    }

    private void refuse(int status, String code, String message) {
        String body = "<Error><Code>" + code + "</Code><Message>" + message + "</Message></Error>";
        server.answer(new Answer(status, Map.of(), body));
    }

    private BlobStore open(boolean create) throws IOException {
        return new S3StoreProvider().open("s3://bucket/p?endpoint=" + server.endpoint(), create);
    }

    @Test
    void refusesAStoreThatReplacesObjects() {
        assertThatThrownBy(() -> open(true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("ignores If-None-Match");
    }

    @Test
    void takesAStoreWhereTheProbeIsThereAlready() throws IOException {
        refuse(412, "PreconditionFailed", "At least one of the pre-conditions did not hold");
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", MemorySegment.ofArray(new byte[3])))
                    .isFalse();
        }
    }

    @Test
    void namesObjectAndCause() throws IOException {
        refuse(403, "AccessDenied", "Access Denied.");
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("log/1", MemorySegment.ofArray(new byte[3])))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContainingAll("s3://bucket/p", "log/1", "403 AccessDenied", "s3:PutObject")
                    .hasMessageNotContaining("SECRET");
        }
    }

    @Test
    void saysThatNobodyKnowsWhenTwoPutAtOnce() throws IOException {
        refuse(409, "ConditionalRequestConflict", "again");
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", MemorySegment.ofArray(new byte[3])))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("another writer");
        }
    }

    /** The clients try again by themselves what may pass. */
    @Test
    void passesOverAServerThatIsBusy() throws IOException {
        refuse(503, "SlowDown", "Reduce your request rate");
        refuse(500, "InternalError", "again");
        server.answer(new Answer(200, Map.of(), ""));
        try (BlobStore store = open(false)) {
            assertThat(store.putIfAbsent("k", MemorySegment.ofArray(new byte[3])))
                    .isTrue();
        }
    }

    @Test
    void tellsAMissingObjectFromAMissingBucket() throws IOException {
        refuse(404, "NoSuchKey", "none");
        try (BlobStore store = open(false)) {
            MemorySegment target = MemorySegment.ofArray(new byte[3]);
            assertThatThrownBy(() -> store.get("k", 0, target)).isInstanceOf(NoSuchBlobException.class);
            server.clear();
            refuse(404, "NoSuchBucket", "none");
            assertThatThrownBy(() -> store.get("k", 0, target))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("there is no bucket");
        }
    }

    @Test
    void saysThatNobodyListens() throws IOException {
        try (BlobStore store = open(false)) {
            server.close();
            assertThatThrownBy(() -> store.size("k"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("Connection refused");
        }
    }
}
