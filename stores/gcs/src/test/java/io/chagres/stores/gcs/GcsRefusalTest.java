package io.chagres.stores.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.chagres.archive.store.BlobInfo;
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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of servers, and what the store makes of them. */
class GcsRefusalTest {
    private static final MemorySegment CONTENT = MemorySegment.ofArray("123456789".getBytes(StandardCharsets.US_ASCII));

    private record Answer(int status, String body) {
        static Answer refusal(int status, String message) {
            return new Answer(status, "{\"error\":{\"code\":" + status + ",\"message\":\"" + message + "\"}}");
        }
    }

    private final Deque<Answer> answers = new ArrayDeque<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    GcsRefusalTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void start() {
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** Gives the next answer, the last one again and again; an object without fields when there is none. */
    private void answer(HttpExchange exchange) throws IOException {
        String sent = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1);
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + "\n"
                + exchange.getRequestHeaders().getFirst("Authorization") + "\n" + sent);
        Answer answer = answers.size() > 1 ? answers.poll() : answers.peek();
        byte[] body = (answer == null ? "{}" : answer.body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(answer == null ? 200 : answer.status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private BlobStore open(boolean create) throws IOException {
        return new GcsStoreProvider()
                .open(
                        "gs://bucket/p?endpoint=http://127.0.0.1:"
                                + server.getAddress().getPort(),
                        create);
    }

    @Test
    void putsOnConditionWithTheChecksumAndWithoutAToken() throws IOException {
        try (BlobStore store = open(false)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isTrue();
        }
        assertThat(requests).singleElement().satisfies(request -> assertThat(request)
                .startsWith("POST /upload/storage/v1/b/bucket/o?")
                .contains("ifGenerationMatch=0", "uploadType=multipart", "\nnull\n", "name=p/k", "123456789")
                .contains("\"crc32c\":\"4waSgw==\"")); // the check value of CRC32C
    }

    @Test
    void refusesAStoreThatReplacesObjects() {
        assertThatThrownBy(() -> open(true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("ignores ifGenerationMatch");
    }

    @Test
    void takesAStoreWhereTheProbeIsThereAlready() throws IOException {
        answers.add(Answer.refusal(412, "At least one of the pre-conditions you specified did not hold."));
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isFalse();
        }
    }

    @Test
    void takesAMissingRightToReplaceForAnObjectThatExists() throws IOException {
        answers.add(Answer.refusal(403, "x@y does not have storage.objects.delete access to the object."));
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isFalse();
        }
    }

    @Test
    void namesObjectAndCause() throws IOException {
        answers.add(Answer.refusal(403, "x@y does not have storage.objects.create access."));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("log/1", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContainingAll("gs://bucket/p", "log/1", "403", "x@y does not", "needed:");
        }
    }

    @Test
    void saysThatNobodyKnowsWhenTwoPutAtOnce() throws IOException {
        answers.add(Answer.refusal(409, "again"));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("another writer");
        }
    }

    /** The client tries again by itself what may pass. */
    @Test
    void passesOverAServerThatIsBusy() throws IOException {
        answers.add(Answer.refusal(503, "busy"));
        answers.add(Answer.refusal(429, "The rate of changes to the object exceeds the limit."));
        answers.add(new Answer(200, "{}"));
        try (BlobStore store = open(false)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isTrue();
        }
    }

    /** The shipper has its own way to wait, and says meanwhile why. */
    @Test
    void givesUpOnAServerThatStaysBusy() throws IOException {
        answers.add(Answer.refusal(503, "busy"));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("503: busy");
        }
        assertThat(requests).hasSizeBetween(2, 5);
    }

    @Test
    void tellsAMissingObjectFromAMissingBucket() throws IOException {
        answers.add(Answer.refusal(404, "No such object: bucket/p/k"));
        MemorySegment target = MemorySegment.ofArray(new byte[3]);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.get("k", 0, target)).isInstanceOf(NoSuchBlobException.class);
            assertThat(store.size("k")).isEqualTo(-1);
            answers.clear();
            answers.add(Answer.refusal(404, "The specified bucket does not exist."));
            assertThatThrownBy(() -> store.get("k", 0, target))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("there is no bucket bucket");
            assertThatThrownBy(() -> store.list("", null)).hasMessageContaining("there is no bucket bucket");
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT)).hasMessageContaining("there is no bucket bucket");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html>It works!</html>", "[1]"})
    void saysThatAnotherServerAnswers(String body) throws IOException {
        answers.add(new Answer(200, body));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT)).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> store.size("k")).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> store.list("", null)).isInstanceOf(StoreException.class);
        }
    }

    @Test
    void listsPageByPage() throws IOException {
        String object = "{\"name\":\"p/%s\",\"size\":\"3\",\"timeCreated\":\"2026-01-02T03:04:05Z\"}";
        answers.add(new Answer(
                200,
                "{\"nextPageToken\":\"more\",\"items\":[" + object.replace("%s", "a") + "," + object.replace("%s", "b")
                        + "]}"));
        answers.add(new Answer(200, "{\"items\":[" + object.replace("%s", "c") + "]}"));
        try (BlobStore store = open(false)) {
            assertThat(store.list("", "a"))
                    .extracting(BlobInfo::key, BlobInfo::lengthBytes, BlobInfo::modifiedMs)
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple("b", 3L, 1_767_323_045_000L),
                            org.assertj.core.groups.Tuple.tuple("c", 3L, 1_767_323_045_000L));
        }
        assertThat(requests.getFirst()).contains("startOffset=p/a");
        assertThat(requests.getLast()).contains("pageToken=more");
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

    /** What is refused may be a secret: no message repeats it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "gs://",
                "gs://key:SECRET@bucket/p",
                "gs://bucket/a/../SECRET",
                "gs://bucket?token=SECRET",
                "gs://bucket?region=SECRET",
                "gs://bucket?endpoint=http://u:SECRET@host",
                "gs://bucket?endpoint=ftp://SECRET"
            })
    void refusesWhatIsNoAddress(String address) {
        assertThatThrownBy(() -> new GcsStoreProvider().open(address, false))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("gs://")
                .hasMessageNotContaining("SECRET");
    }
}
