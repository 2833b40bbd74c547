package io.chagres.stores.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import io.chagres.testkit.ScriptedServer;
import io.chagres.testkit.ScriptedServer.Answer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of servers, and what the store makes of them. */
class GcsRefusalTest {
    private static final MemorySegment CONTENT = MemorySegment.ofArray("123456789".getBytes(StandardCharsets.US_ASCII));

    private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");

    private final ScriptedServer server = new ScriptedServer(new Answer(200, JSON, "{}"));

    @AfterEach
    void stop() {
        server.close();
    }

    private void refuse(int status, String message) {
        server.answer(
                new Answer(status, JSON, "{\"error\":{\"code\":" + status + ",\"message\":\"" + message + "\"}}"));
    }

    private BlobStore open(boolean create) throws IOException {
        return new GcsStoreProvider().open("gs://bucket/p?endpoint=" + server.endpoint(), create);
    }

    @Test
    void putsOnConditionWithTheChecksumAndWithoutAToken() throws IOException {
        try (BlobStore store = open(false)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isTrue();
        }
        assertThat(server.requests()).singleElement().satisfies(request -> assertThat(request)
                .startsWith("POST /upload/storage/v1/b/bucket/o?")
                .contains("ifGenerationMatch=0", "uploadType=multipart", "name=p/k", "123456789")
                .doesNotContain("authorization:")
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
        refuse(412, "At least one of the pre-conditions you specified did not hold.");
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isFalse();
        }
    }

    @Test
    void takesAMissingRightToReplaceForAnObjectThatExists() throws IOException {
        refuse(403, "x@y does not have storage.objects.delete access to the object.");
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isFalse();
        }
    }

    @Test
    void namesObjectAndCause() throws IOException {
        refuse(403, "x@y does not have storage.objects.create access.");
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("log/1", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContainingAll("gs://bucket/p", "log/1", "403", "x@y does not", "needed:");
        }
    }

    @Test
    void saysThatNobodyKnowsWhenTwoPutAtOnce() throws IOException {
        refuse(409, "again");
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("another writer");
        }
    }

    /** The client tries again by itself what may pass. */
    @Test
    void passesOverAServerThatIsBusy() throws IOException {
        refuse(503, "busy");
        refuse(429, "The rate of changes to the object exceeds the limit.");
        server.answer(new Answer(200, JSON, "{}"));
        try (BlobStore store = open(false)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isTrue();
        }
    }

    /** The shipper has its own way to wait, and says meanwhile why. */
    @Test
    void givesUpOnAServerThatStaysBusy() throws IOException {
        refuse(503, "busy");
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("503: busy");
        }
        assertThat(server.requests()).hasSizeBetween(2, 5);
    }

    @Test
    void tellsAMissingObjectFromAMissingBucket() throws IOException {
        refuse(404, "No such object: bucket/p/k");
        MemorySegment target = MemorySegment.ofArray(new byte[3]);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.get("k", 0, target)).isInstanceOf(NoSuchBlobException.class);
            assertThat(store.size("k")).isEqualTo(-1);
            server.clear();
            refuse(404, "The specified bucket does not exist.");
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
        server.answer(new Answer(200, JSON, body));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT)).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> store.size("k")).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> store.list("", null)).isInstanceOf(StoreException.class);
        }
    }

    @Test
    void listsPageByPage() throws IOException {
        String object = "{\"name\":\"p/%s\",\"size\":\"3\",\"timeCreated\":\"2026-01-02T03:04:05Z\"}";
        server.answer(new Answer(
                200,
                JSON,
                "{\"nextPageToken\":\"more\",\"items\":[" + object.replace("%s", "a") + "," + object.replace("%s", "b")
                        + "]}"));
        server.answer(new Answer(200, JSON, "{\"items\":[" + object.replace("%s", "c") + "]}"));
        try (BlobStore store = open(false)) {
            assertThat(store.list("", "a"))
                    .extracting(BlobInfo::key, BlobInfo::lengthBytes, BlobInfo::modifiedMs)
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple("b", 3L, 1_767_323_045_000L),
                            org.assertj.core.groups.Tuple.tuple("c", 3L, 1_767_323_045_000L));
        }
        assertThat(server.requests().getFirst()).contains("startOffset=p/a");
        assertThat(server.requests().getLast()).contains("pageToken=more");
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
