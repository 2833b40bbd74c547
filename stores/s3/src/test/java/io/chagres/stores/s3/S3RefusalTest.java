package io.chagres.stores.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers of servers, and what the store makes of them. */
class S3RefusalTest {
    private static final Map<String, String> CREDENTIALS =
            Map.of("aws.accessKeyId", "AKIDSECRET", "aws.secretAccessKey", "KEYSECRET");

    private record Answer(int status, String code, String message) {}

    private final Deque<Answer> answers = new ArrayDeque<>();
    private final HttpServer server;

    S3RefusalTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void start() {
        CREDENTIALS.forEach(System::setProperty);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        CREDENTIALS.keySet().forEach(System::clearProperty);
    }

    /** Gives the next answer, the last one again and again; 200 when there is none. */
    private void answer(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        Answer answer = answers.size() > 1 ? answers.poll() : answers.peek();
        byte[] body = answer == null || answer.code.isEmpty()
                ? new byte[0]
                : ("<Error><Code>" + answer.code + "</Code><Message>" + answer.message + "</Message></Error>")
                        .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer == null ? 200 : answer.status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private BlobStore open(boolean create) throws IOException {
        return new S3StoreProvider()
                .open(
                        "s3://bucket/p?endpoint=http://127.0.0.1:"
                                + server.getAddress().getPort(),
                        create);
    }

    @Test
    void refusesAStoreThatReplacesObjects() {
        assertThatThrownBy(() -> open(true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("ignores If-None-Match");
    }

    @Test
    void takesAStoreWhereTheProbeIsThereAlready() throws IOException {
        answers.add(new Answer(412, "PreconditionFailed", "At least one of the pre-conditions did not hold"));
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", MemorySegment.ofArray(new byte[3])))
                    .isFalse();
        }
    }

    @Test
    void namesObjectAndCause() throws IOException {
        answers.add(new Answer(403, "AccessDenied", "Access Denied."));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("log/1", MemorySegment.ofArray(new byte[3])))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContainingAll("s3://bucket/p", "log/1", "403 AccessDenied", "s3:PutObject")
                    .hasMessageNotContaining("SECRET");
        }
    }

    @Test
    void saysThatNobodyKnowsWhenTwoPutAtOnce() throws IOException {
        answers.add(new Answer(409, "ConditionalRequestConflict", "again"));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", MemorySegment.ofArray(new byte[3])))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("another writer");
        }
    }

    /** The clients try again by themselves what may pass. */
    @Test
    void passesOverAServerThatIsBusy() throws IOException {
        answers.add(new Answer(503, "SlowDown", "Reduce your request rate"));
        answers.add(new Answer(500, "InternalError", "again"));
        answers.add(new Answer(200, "", ""));
        try (BlobStore store = open(false)) {
            assertThat(store.putIfAbsent("k", MemorySegment.ofArray(new byte[3])))
                    .isTrue();
        }
    }

    @Test
    void tellsAMissingObjectFromAMissingBucket() throws IOException {
        answers.add(new Answer(404, "NoSuchKey", "none"));
        try (BlobStore store = open(false)) {
            MemorySegment target = MemorySegment.ofArray(new byte[3]);
            assertThatThrownBy(() -> store.get("k", 0, target)).isInstanceOf(NoSuchBlobException.class);
            answers.clear();
            answers.add(new Answer(404, "NoSuchBucket", "none"));
            assertThatThrownBy(() -> store.get("k", 0, target))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("there is no bucket");
        }
    }

    @Test
    void saysThatNobodyListens() throws IOException {
        try (BlobStore store = open(false)) {
            server.stop(0);
            assertThatThrownBy(() -> store.size("k"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("Connection refused");
        }
    }
}
