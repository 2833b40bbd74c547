package io.chagres.stores.azblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.StoreException;
import io.chagres.testkit.ScriptedServer;
import io.chagres.testkit.ScriptedServer.Answer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of servers, and what the store makes of them. */
class AzblobRefusalTest {
    private static final MemorySegment CONTENT = MemorySegment.ofArray("123456789".getBytes(StandardCharsets.US_ASCII));

    private static final Map<String, String> XML = Map.of("Content-Type", "application/xml");

    private final ScriptedServer server = new ScriptedServer(new Answer(201, XML, ""));

    @AfterEach
    void stop() {
        server.close();
    }

    private void refuse(int status, String code) {
        String body = "<Error><Code>" + code + "</Code><Message>SECRET</Message></Error>";
        server.answer(new Answer(status, Map.of("x-ms-error-code", code, "Content-Type", "application/xml"), body));
    }

    /** Refuses with a status and a code, parted by a blank. */
    private void refuse(String refusal) {
        refuse(Integer.parseInt(refusal.substring(0, 3)), refusal.substring(4));
    }

    private BlobStore open(boolean create) throws IOException {
        return open(create, "&account=me", Map.of("AZURE_STORAGE_KEY", "U0VDUkVU"));
    }

    private BlobStore open(boolean create, String parameters, Map<String, String> environment) throws IOException {
        String address = "azblob://container/p?endpoint=" + server.endpoint() + parameters;
        return AzblobStore.open(
                ObjectAddress.parse("azblob", address, Set.of(ObjectAddress.ACCOUNT, ObjectAddress.ENDPOINT), ""),
                environment,
                create);
    }

    @Test
    void putsOnConditionWithTheChecksumAndSigned() throws IOException {
        try (BlobStore store = open(false)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isTrue();
        }
        assertThat(server.requests()).singleElement().satisfies(request -> assertThat(request)
                .startsWith("PUT /container/p%2Fk")
                .contains("\nif-none-match: *\n", "\nx-ms-blob-type: BlockBlob\n", "\nauthorization: SharedKey me:")
                .contains("\ncontent-md5: JfnnlDI7RTiF9RgfG2JNCw==\n") // of 123456789
                .endsWith("\n123456789")
                .doesNotContain("U0VDUkVU"));
    }

    @Test
    void refusesAStoreThatReplacesObjects() {
        assertThatThrownBy(() -> open(true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("ignores If-None-Match");
    }

    @ParameterizedTest
    @ValueSource(strings = {"409 BlobAlreadyExists", "412 ConditionNotMet"})
    void takesAStoreWhereTheProbeIsThereAlready(String refusal) throws IOException {
        refuse(refusal);
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isFalse();
        }
    }

    /** The status of an object that exists is that of other troubles too. */
    @ParameterizedTest
    @ValueSource(strings = {"409 ContainerDisabled", "412 LeaseIdMissing", "409 BlobImmutableDueToPolicy"})
    void doesNotTakeAnotherRefusalForAnObjectThatExists(String refusal) throws IOException {
        refuse(refusal);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(refusal);
        }
    }

    @Test
    void namesObjectAndCauseAndRepeatsNoText() throws IOException {
        refuse(403, "AuthorizationPermissionMismatch");
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("log/1", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContainingAll(
                            "azblob://container/p?account=me",
                            "log/1",
                            "403 AuthorizationPermissionMismatch",
                            "needed:")
                    .hasMessageNotContaining("SECRET");
        }
    }

    /** The client tries again by itself what may pass. */
    @Test
    void passesOverAServerThatIsBusy() throws IOException {
        refuse(503, "ServerBusy");
        refuse(500, "OperationTimedOut");
        server.answer(new Answer(201, XML, ""));
        try (BlobStore store = open(false)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isTrue();
        }
        assertThat(server.requests()).hasSize(3).allSatisfy(request -> assertThat(request)
                .endsWith("\n123456789"));
    }

    /** The shipper has its own way to wait, and says meanwhile why. */
    @Test
    void givesUpOnAServerThatStaysBusy() throws IOException {
        refuse(503, "ServerBusy");
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("503 ServerBusy");
        }
        assertThat(server.requests()).hasSizeBetween(2, 5);
    }

    @Test
    void tellsAMissingObjectFromAMissingContainer() throws IOException {
        refuse(404, "BlobNotFound");
        MemorySegment target = MemorySegment.ofArray(new byte[3]);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.get("k", 0, target)).isInstanceOf(NoSuchBlobException.class);
            assertThat(store.size("k")).isEqualTo(-1);
            store.delete("k");
            server.clear();
            refuse(404, "ContainerNotFound");
            String missing = "there is no container container";
            assertThatThrownBy(() -> store.get("k", 0, target))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(missing);
            assertThatThrownBy(() -> store.size("k")).hasMessageContaining(missing);
            assertThatThrownBy(() -> store.list("", null)).hasMessageContaining(missing);
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT)).hasMessageContaining(missing);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"200 application/xml", "404 application/xml", "404 text/html", "501 application/json"})
    void saysThatAnotherServerAnswers(String answer) throws IOException {
        int status = Integer.parseInt(answer.substring(0, 3));
        server.answer(new Answer(status, Map.of("Content-Type", answer.substring(4)), "<html>It works!</html>"));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.list("", null)).isInstanceOf(StoreException.class);
            if (status != 200) {
                assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("is the endpoint right?");
            }
        }
    }

    @Test
    void listsPageByPageFromAKeyOn() throws IOException {
        String page = "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults><Blobs>%s</Blobs>"
                + "<NextMarker>%s</NextMarker></EnumerationResults>";
        String blob = "<Blob><Name>p/%s</Name><Properties><Last-Modified>Fri, 02 Jan 2026 03:04:05 GMT</Last-Modified>"
                + "<Etag>1</Etag><Content-Length>3</Content-Length></Properties></Blob>";
        server.answer(new Answer(200, XML, page.formatted(blob.formatted("a") + blob.formatted("b"), "more")));
        server.answer(new Answer(200, XML, page.formatted(blob.formatted("c"), "")));
        try (BlobStore store = open(false)) {
            assertThat(store.list("", "a"))
                    .extracting(BlobInfo::key, BlobInfo::lengthBytes, BlobInfo::modifiedMs)
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple("b", 3L, 1_767_323_045_000L),
                            org.assertj.core.groups.Tuple.tuple("c", 3L, 1_767_323_045_000L));
        }
        assertThat(server.requests().getFirst()).contains("startFrom=p/a");
        assertThat(server.requests().getLast()).contains("marker=more");
    }

    @Test
    void saysThatNobodyListens() throws IOException {
        try (BlobStore store = open(false)) {
            server.close();
            assertThatThrownBy(() -> store.size("k"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("ConnectException");
        }
    }

    /** It would be for everybody on the line. */
    @Test
    void sendsNoTokenWithoutTls() throws IOException {
        try (BlobStore store = open(false, "", Map.of("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=SECRET"))) {
            store.putIfAbsent("k", CONTENT);
        }
        assertThat(server.requests()).singleElement().satisfies(request -> assertThat(request)
                .doesNotContain("SECRET", "authorization"));
    }

    @Test
    void saysWhatItNeedsToKnow() {
        assertThatThrownBy(() -> open(false, "", Map.of("AZURE_STORAGE_KEY", "U0VDUkVU")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("?account=NAME");
        assertThatThrownBy(() -> open(false, "&account=me", Map.of("AZURE_STORAGE_KEY", "=SECRET=")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("AZURE_STORAGE_KEY is not")
                .hasMessageNotContaining("SECRET");
        assertThatThrownBy(() -> new AzblobStoreProvider().open("azblob://container/p?account=../SECRET", false))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("AZURE_STORAGE_ACCOUNT");
    }

    /** What is refused may be a secret: no message repeats it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "azblob://",
                "azblob://key:SECRET@container/p",
                "azblob://container/a/../SECRET",
                "azblob://container?sig=SECRET",
                "azblob://container?endpoint=http://u:SECRET@host",
                "azblob://container?endpoint=https://host/?sig=SECRET"
            })
    void refusesWhatIsNoAddress(String address) {
        assertThatThrownBy(() -> new AzblobStoreProvider().open(address, false))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("azblob://")
                .hasMessageNotContaining("SECRET");
    }
}
