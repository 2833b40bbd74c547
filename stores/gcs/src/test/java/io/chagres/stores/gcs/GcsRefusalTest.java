package io.chagres.stores.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.RefusalContract;
import io.chagres.archive.store.StoreException;
import io.chagres.testkit.ScriptedServer.Answer;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the store makes of answers of Google Cloud Storage. */
@Tag("long")
class GcsRefusalTest extends RefusalContract {
    private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");

    GcsRefusalTest() {
        super(new Answer(200, JSON, "{}"));
    }

    @Override
    protected BlobStore open(boolean create) throws IOException {
        return new GcsStoreProvider().open("gs://bucket/p?endpoint=" + server.endpoint(), create, note -> {});
    }

    @Override
    protected BlobStore openEncrypted(URI endpoint, Map<String, String> environment, String parameters)
            throws IOException {
        ObjectAddress address = GcsStoreProvider.parse("gs://bucket/p?endpoint=" + endpoint + parameters);
        return GcsStore.open(address, environment, false);
    }

    @Test
    void sendsWhatTheAddressAsksForWithEachObject() throws IOException {
        String key = "projects/p/locations/l/keyRings/r/cryptoKeys/k";
        String data = ArchiveLayout.object("0123456789abcdef", 1, 0, 9, 7, Codec.ZSTD);
        String parameters = "&kms-key=" + key + "&storage-class=NEARLINE&acl=bucketOwnerFullControl&requester-pays=me";
        try (BlobStore store = new GcsStoreProvider()
                .open("gs://bucket/p?endpoint=" + server.endpoint() + parameters, false, note -> {})) {
            store.putIfAbsent("hosts/0123456789abcdef/log/1", CONTENT);
            store.putIfAbsent(data, CONTENT);
            BlobList.all(store, "", null);
        }
        assertThat(server.requests().subList(0, 2)).allSatisfy(put -> assertThat(put)
                .contains("kmsKeyName=" + key, "predefinedAcl=bucketOwnerFullControl"));
        assertThat(server.requests()).allSatisfy(each -> assertThat(each).contains("userProject=me"));
        assertThat(server.requests().get(0)).doesNotContain("NEARLINE");
        assertThat(server.requests().get(1)).contains("\"storageClass\":\"NEARLINE\"");
    }

    @Override
    protected Answer answer(Refusal refusal) {
        return switch (refusal) {
            case EXISTS -> refusal(412, "At least one of the pre-conditions you specified did not hold.");
            case FORBIDDEN -> refusal(403, "x@y does not have storage.objects.create access.");
            case CONFLICT -> refusal(409, "again");
            case BUSY -> refusal(503, "busy");
            case TIMED_OUT -> refusal(429, "The rate of changes to the object exceeds the limit.");
            case NO_OBJECT -> refusal(404, "No such object: bucket/p/k");
            case NO_BUCKET -> refusal(404, "The specified bucket does not exist.");
        };
    }

    private static Answer refusal(int status, String message) {
        return new Answer(status, JSON, "{\"error\":{\"code\":" + status + ",\"message\":\"" + message + "\"}}");
    }

    @Override
    protected Answer page(List<String> names, String next) {
        String items = names.stream()
                .map(name -> "{\"name\":\"p/" + name + "\",\"size\":\"3\",\"timeCreated\":\"2026-01-02T03:04:05Z\"}")
                .collect(Collectors.joining(","));
        String more = next.isEmpty() ? "" : "\"nextPageToken\":\"" + next + "\",";
        return new Answer(200, JSON, "{" + more + "\"items\":[" + items + "]}");
    }

    @Override
    protected String condition() {
        return "ifGenerationMatch";
    }

    @Override
    protected String[] forbidden() {
        return new String[] {"gs://bucket/p", "403", "x@y does not", "needed:"};
    }

    @Override
    protected String busy() {
        return "503: busy";
    }

    @Override
    protected String missing() {
        return "there is no bucket bucket";
    }

    @Override
    protected String[] listing() {
        return new String[] {"startOffset=p/a", "startOffset=p/b", "pageToken=more"};
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
    void takesAMissingRightToReplaceForAnObjectThatExists() throws IOException {
        server.answer(refusal(403, "x@y does not have storage.objects.delete access to the object."));
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html>It works!</html>", "[1]"})
    void saysThatAnotherServerAnswers(String body) throws IOException {
        server.answer(new Answer(200, JSON, body));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT)).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> store.size("k")).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> BlobList.all(store, "", null)).isInstanceOf(StoreException.class);
        }
    }

    /** A refused text may be a secret: no message repeats it. */
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
        assertThatThrownBy(() -> new GcsStoreProvider().open(address, false, note -> {}))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("gs://")
                .hasMessageNotContaining("SECRET");
    }
}
