package io.chagres.stores.azblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.store.ArchiveTier;
import io.chagres.archive.store.ArchivedBlob;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.RefusalContract;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.ThawClass;
import io.chagres.testkit.ScriptedServer.Answer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the store makes of answers of Azure Blob Storage. */
@Tag("long")
class AzblobRefusalTest extends RefusalContract {
    private static final Map<String, String> XML = Map.of("Content-Type", "application/xml");

    AzblobRefusalTest() {
        super(new Answer(201, XML, ""));
    }

    @Override
    protected BlobStore open(boolean create) throws IOException {
        return open(create, "&account=me", Map.of("AZURE_STORAGE_KEY", "U0VDUkVU"));
    }

    private BlobStore open(boolean create, String parameters, Map<String, String> environment) throws IOException {
        String address = "azblob://container/p?endpoint=" + server.endpoint() + parameters;
        return AzblobStore.open(AzblobStoreProvider.parse(address), environment, create);
    }

    @Override
    protected BlobStore openEncrypted(URI endpoint, Map<String, String> environment, String parameters)
            throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put("AZURE_STORAGE_KEY", "U0VDUkVU");
        String address = "azblob://container/p?endpoint=" + endpoint + "&account=me" + parameters;
        return AzblobStore.open(AzblobStoreProvider.parse(address), all, false);
    }

    @Test
    void sendsWhatTheAddressAsksForWithEachObject() throws IOException {
        String data = ArchiveLayout.object("0123456789abcdef", 1, 0, 9, 7, Codec.ZSTD);
        String parameters = "&account=me&encryption-scope=ours&storage-class=Cool&tags=team=ops,env=prod";
        try (BlobStore store = open(false, parameters, Map.of("AZURE_STORAGE_KEY", "U0VDUkVU"))) {
            store.putIfAbsent("hosts/0123456789abcdef/log/1", CONTENT);
            store.putIfAbsent(data, CONTENT);
        }
        assertThat(server.requests()).hasSize(2).allSatisfy(put -> assertThat(put)
                .contains("\nx-ms-encryption-scope: ours\n")
                .contains("\nx-ms-tags: team=ops&env=prod\n"));
        assertThat(server.requests().get(0)).doesNotContain("x-ms-access-tier");
        assertThat(server.requests().get(1)).contains("\nx-ms-access-tier: Cool\n");
    }

    /** An object that a lifecycle rule moved is there: nobody may take it for damaged or missing. */
    @ParameterizedTest
    @ValueSource(strings = {"409 BlobArchived", "409 BlobBeingRehydrated"})
    void namesTheTierOfAnObjectThatIsArchived(String words) throws IOException {
        server.answer(refusal(words));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.get("k", 0, MemorySegment.ofArray(new byte[1])))
                    .isInstanceOfSatisfying(StoreException.class, refused -> assertThat(refused.kind())
                            .isEqualTo(StoreException.Kind.ARCHIVED))
                    .hasMessageContaining(words)
                    .hasMessageContaining("set-tier");
        }
    }

    @Test
    void saysWhatIsArchivedAndAsksForIt() throws IOException {
        server.answer(refusal("409 BlobArchived"));
        server.answer(new Answer(200, Map.of("x-ms-access-tier", "Archive"), ""));
        server.answer(refusal("409 BlobBeingRehydrated"));
        server.answer(new Answer(200, Map.of("x-ms-archive-status", "rehydrate-pending-to-hot"), ""));
        server.answer(new Answer(202, Map.of(), ""));
        ArchivedBlob asked = new ArchivedBlob("k", 0, "Archive", true);
        try (BlobStore store = open(false)) {
            ArchivedBlob blob = ArchiveTier.of(store).find("k");
            assertThat(blob).isEqualTo(new ArchivedBlob("k", 0, "Archive", false));
            assertThat(ArchiveTier.of(store).find("k")).isEqualTo(asked);
            ArchiveTier.of(store).thaw(blob, ThawClass.EXPEDITED, 7);
            assertThatThrownBy(() -> ArchiveTier.of(store).thaw(blob, ThawClass.BULK, 7))
                    .hasMessageContaining("alone");
        }
        assertThat(server.requests().getLast())
                .startsWith("PUT /container/p%2Fk?comp=tier")
                .contains("\nx-ms-access-tier: Hot\n", "\nx-ms-rehydrate-priority: High\n");
    }

    @Override
    protected Answer answer(Refusal refusal) {
        return switch (refusal) {
            case EXISTS -> refusal("409 BlobAlreadyExists");
            case FORBIDDEN -> refusal("403 AuthorizationPermissionMismatch");
            case CONFLICT -> refusal("409 OperationInProgress");
            case BUSY -> refusal("503 ServerBusy");
            case TIMED_OUT -> refusal("500 OperationTimedOut");
            case NO_OBJECT -> refusal("404 BlobNotFound");
            case NO_BUCKET -> refusal("404 ContainerNotFound");
        };
    }

    /** @param words a status and a code, parted by a blank */
    private static Answer refusal(String words) {
        String code = words.substring(4);
        return new Answer(
                Integer.parseInt(words.substring(0, 3)),
                Map.of("x-ms-error-code", code, "Content-Type", "application/xml"),
                "<Error><Code>" + code + "</Code><Message>SECRET</Message></Error>");
    }

    @Override
    protected Answer page(List<String> names, String next) {
        String blobs = names.stream()
                .map(name -> "<Blob><Name>p/" + name
                        + "</Name><Properties><Last-Modified>Fri, 02 Jan 2026 03:04:05 GMT</Last-Modified>"
                        + "<Etag>1</Etag><Content-Length>3</Content-Length></Properties></Blob>")
                .collect(Collectors.joining());
        return new Answer(
                200,
                XML,
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults><Blobs>" + blobs + "</Blobs><NextMarker>"
                        + next + "</NextMarker></EnumerationResults>");
    }

    @Override
    protected String condition() {
        return "If-None-Match";
    }

    @Override
    protected String[] forbidden() {
        return new String[] {"azblob://container/p?account=me", "403 AuthorizationPermissionMismatch", "needed:"};
    }

    @Override
    protected String busy() {
        return "503 ServerBusy";
    }

    @Override
    protected String missing() {
        return "there is no container container";
    }

    @Override
    protected String[] listing() {
        return new String[] {"startFrom=p/a", "startFrom=p/b", "marker=more"};
    }

    @Override
    protected String conflict() {
        return "409 OperationInProgress"; // for more reasons than this one
    }

    @Override
    protected String nobody() {
        return "ConnectException";
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

    @ParameterizedTest
    @ValueSource(strings = {"409 BlobAlreadyExists", "412 ConditionNotMet"})
    void takesBothWaysToSayThatTheProbeIsThere(String refusal) throws IOException {
        server.answer(refusal(refusal));
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isFalse();
        }
    }

    /** The status of an object that exists is that of other troubles too. */
    @ParameterizedTest
    @ValueSource(strings = {"409 ContainerDisabled", "412 LeaseIdMissing", "409 BlobImmutableDueToPolicy"})
    void doesNotTakeAnotherRefusalForAnObjectThatExists(String refusal) throws IOException {
        server.answer(refusal(refusal));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(refusal);
        }
    }

    /** A question without a body is answered by headers alone. */
    @Test
    void tellsThemApartWhereThereIsNoBody() throws IOException {
        refuse(Refusal.NO_OBJECT);
        try (BlobStore store = open(false)) {
            store.delete("k");
            server.clear();
            refuse(Refusal.NO_BUCKET);
            assertThatThrownBy(() -> store.size("k")).hasMessageContaining(missing());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"200 application/xml", "404 application/xml", "404 text/html", "501 application/json"})
    void saysThatAnotherServerAnswers(String answer) throws IOException {
        int status = Integer.parseInt(answer.substring(0, 3));
        server.answer(new Answer(status, Map.of("Content-Type", answer.substring(4)), "<html>It works!</html>"));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> BlobList.all(store, "", null)).isInstanceOf(StoreException.class);
            if (status != 200) {
                assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("is the endpoint right?");
            }
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
        assertThatThrownBy(() ->
                        new AzblobStoreProvider().open("azblob://container/p?account=../SECRET", false, note -> {}))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("AZURE_STORAGE_ACCOUNT");
    }

    /** A refused text may be a secret: no message repeats it. */
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
        assertThatThrownBy(() -> new AzblobStoreProvider().open(address, false, note -> {}))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("azblob://")
                .hasMessageNotContaining("SECRET");
    }
}
