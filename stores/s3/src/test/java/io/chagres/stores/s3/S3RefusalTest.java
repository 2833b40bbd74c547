package io.chagres.stores.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.store.ArchiveTier;
import io.chagres.archive.store.ArchivedBlob;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.RefusalContract;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.ThawClass;
import io.chagres.testkit.ScriptedServer;
import io.chagres.testkit.ScriptedServer.Answer;
import io.chagres.testkit.TlsIdentity;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;

/** What the store makes of answers of S3. */
@Tag("long")
class S3RefusalTest extends RefusalContract {
    private static final Map<String, String> CREDENTIALS =
            Map.of("aws.accessKeyId", "AKIDSECRET", "aws.secretAccessKey", "KEYSECRET");

    S3RefusalTest() {
        super(new Answer(200, Map.of(), ""));
    }

    @BeforeEach
    void start() {
        CREDENTIALS.forEach(System::setProperty);
    }

    @AfterEach
    void stop() {
        CREDENTIALS.keySet().forEach(System::clearProperty);
    }

    /** Anybody who reads the connection could use a token until it ends; a key only signs. */
    @Test
    void keepsSessionTokensOffTheOpenLine() throws IOException {
        System.setProperty("aws.sessionToken", "TOKENSECRET");
        try {
            String open = server.endpoint().toString().replace("127.0.0.1", "0.0.0.0");
            assertThat(open).contains("0.0.0.0");
            assertThatThrownBy(() -> new S3StoreProvider()
                            .open("s3://bucket/p?endpoint=" + open, false, note -> {})
                            .size("hosts/x"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("a session token is not sent over http://")
                    .hasMessageNotContaining("SECRET");
            assertThat(server.requests()).isEmpty();
        } finally {
            System.clearProperty("aws.sessionToken");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "s3.localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"})
    void knowsThisMachine(String host) {
        assertThat(TokenGuard.isLoopback(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "localhost.example", "127.example", "127.0.0.1.example", "10.0.0.1", "minio"})
    void knowsOthers(String host) {
        assertThat(TokenGuard.isLoopback(host)).isFalse();
    }

    /** An object that a lifecycle rule moved is there: nobody may take it for damaged or missing. */
    @Test
    void namesTheTierOfAnObjectThatIsArchived() throws IOException {
        server.answer(new Answer(
                403,
                Map.of(),
                "<Error><Code>InvalidObjectState</Code><Message>The operation is not valid for the object's storage"
                        + " class</Message><StorageClass>DEEP_ARCHIVE</StorageClass></Error>"));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.get("k", 0, MemorySegment.ofArray(new byte[1])))
                    .isInstanceOfSatisfying(StoreException.class, refusal -> assertThat(refusal.kind())
                            .isEqualTo(StoreException.Kind.ARCHIVED))
                    .hasMessageContaining("archive tier DEEP_ARCHIVE")
                    .hasMessageContaining("restore-object");
        }
        assertThat(server.requests()).hasSize(1);
    }

    /** Nobody need ask a full store again and again; the shipper does, now and then. */
    @ParameterizedTest
    @ValueSource(strings = {"507 XMinioStorageFull", "403 QuotaExceeded", "400 XMinioAdminBucketQuotaExceeded"})
    void knowsAStoreThatIsFull(String refusal) throws IOException {
        String[] status = refusal.split(" ");
        server.answer(
                new Answer(Integer.parseInt(status[0]), Map.of(), "<Error><Code>" + status[1] + "</Code></Error>"));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", MemorySegment.ofArray(new byte[1])))
                    .isInstanceOfSatisfying(StoreException.class, full -> assertThat(full)
                            .returns(StoreException.Kind.FULL, StoreException::kind)
                            .returns(false, StoreException::isLasting)
                            .returns(false, StoreException::isAway));
        }
        assertThat(server.requests()).hasSize(1);
    }

    private static Answer archived(String restore) {
        Map<String, String> headers = new HashMap<>(Map.of("x-amz-storage-class", "GLACIER"));
        if (!restore.isEmpty()) {
            headers.put("x-amz-restore", restore);
        }
        return new Answer(
                403,
                headers,
                "<Error><Code>InvalidObjectState</Code><Message>no</Message><StorageClass>GLACIER</StorageClass>"
                        + "</Error>");
    }

    private static Answer head(String restore) {
        return new Answer(200, archived(restore).headers(), "");
    }

    /** Only the refusal of a byte shows that one cannot be had: a class may have any name, and a copy may be there. */
    @Test
    void saysWhatIsArchivedAndAskedFor() throws IOException {
        try (BlobStore store = open(false)) {
            server.answer(archived(""));
            server.answer(head(""));
            server.answer(archived("ongoing-request=\"true\""));
            server.answer(head("ongoing-request=\"true\""));
            server.answer(new Answer(206, Map.of("Content-Range", "bytes 0-0/9"), "x"));
            assertThat(ArchiveTier.of(store).find("k")).isEqualTo(new ArchivedBlob("k", 0, "GLACIER", false));
            assertThat(ArchiveTier.of(store).find("k")).isEqualTo(new ArchivedBlob("k", 0, "GLACIER", true));
            assertThat(ArchiveTier.of(store).find("k")).isNull();
        }
    }

    @Test
    void asksForAnObjectByItsClassAndForItsDays() throws IOException {
        try (BlobStore store = open(false)) {
            ArchiveTier.of(store).thaw(new ArchivedBlob("k", 7, "GLACIER", false), ThawClass.BULK, 3);
            ArchiveTier.of(store).thaw(new ArchivedBlob("k", 7, "DEEP_ARCHIVE_ACCESS", false), ThawClass.STANDARD, 3);
        }
        assertThat(server.requests().get(0))
                .startsWith("POST /bucket/p/k?restore")
                .contains("<Days>3</Days>", "<Tier>Bulk</Tier>");
        assertThat(server.requests().get(1)).contains("<Tier>Standard</Tier>").doesNotContain("<Days>");
    }

    @Test
    void takesWhatIsOnItsWayForAskedAndAnotherRefusalForNone() throws IOException {
        ArchivedBlob blob = new ArchivedBlob("k", 7, "GLACIER", false);
        try (BlobStore store = open(false)) {
            server.answer(new Answer(409, Map.of(), "<Error><Code>RestoreAlreadyInProgress</Code></Error>"));
            server.answer(new Answer(403, Map.of(), "<Error><Code>AccessDenied</Code></Error>"));
            ArchiveTier.of(store).thaw(blob, ThawClass.STANDARD, 1);
            assertThatThrownBy(() -> ArchiveTier.of(store).thaw(blob, ThawClass.STANDARD, 1))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("s3:RestoreObject");
        }
    }

    /** An object that a list does not show would count as absent, or the list would begin again for ever. */
    @Test
    void goesOnWithAListByItsTokenAndRefusesOneWithout() throws IOException {
        String objects =
                "<Contents><Key>p/%s</Key><Size>3</Size><LastModified>2026-01-02T03:04:05Z</LastModified></Contents>";
        String next = "<NextContinuationToken>more</NextContinuationToken>";
        server.answer(new Answer(
                200, Map.of(), "<ListBucketResult>" + objects.formatted("a") + next + "</ListBucketResult>"));
        server.answer(new Answer(200, Map.of(), "<ListBucketResult>" + objects.formatted("b") + "</ListBucketResult>"));
        server.answer(new Answer(
                200,
                Map.of(),
                "<ListBucketResult><IsTruncated>true</IsTruncated>" + objects.formatted("a") + "</ListBucketResult>"));
        try (BlobStore store = open(false)) {
            assertThat(BlobList.all(store, "", null)).extracting(BlobInfo::key).containsExactly("a", "b");
            assertThatThrownBy(() -> BlobList.all(store, "", null))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("there is more and not how it continues");
        }
    }

    @Override
    protected BlobStore open(boolean create) throws IOException {
        return new S3StoreProvider().open("s3://bucket/p?endpoint=" + server.endpoint(), create, note -> {});
    }

    @Override
    protected BlobStore openEncrypted(URI endpoint, Map<String, String> environment, String parameters)
            throws IOException {
        return S3Store.open(
                S3Address.parse("s3://bucket/p?endpoint=" + endpoint + parameters), environment, false, note -> {});
    }

    /** As AWS's own command line: the environment before the profile, and both before what is everybody's. */
    @Test
    void trustsWhomTheProfileNames(@TempDir Path directory) throws IOException {
        TlsIdentity identity = TlsIdentity.in(directory);
        Path config = Files.writeString(
                directory.resolve("config"), "[default]\nca_bundle = " + identity.certificate() + "\n");
        System.setProperty("aws.configFile", config.toString());
        try (ScriptedServer encrypted = new ScriptedServer(answer(Refusal.EXISTS), identity, false)) {
            try (BlobStore told = openEncrypted(encrypted.endpoint(), Map.of("SSL_CERT_FILE", "/no/such"), "")) {
                assertThat(told.putIfAbsent("k", CONTENT)).isFalse();
            }
            assertThatThrownBy(() -> openEncrypted(encrypted.endpoint(), Map.of("AWS_CA_BUNDLE", "/no/such"), ""))
                    .hasMessageContaining("AWS_CA_BUNDLE names /no/such");
        } finally {
            System.clearProperty("aws.configFile");
        }
    }

    /** A pod asks STS for its role, and a proxy of the company stands before that, too. */
    @Test
    void trustsWhereCredentialsComeFrom(@TempDir Path directory) throws Exception {
        TlsIdentity identity = TlsIdentity.in(directory);
        Map<String, String> told =
                Map.of("AWS_CA_BUNDLE", identity.certificate().toString());
        try (ScriptedServer sts = new ScriptedServer(new Answer(200, Map.of(), "token"), identity, false)) {
            assertThat(status(sts, told)).isEqualTo(200);
            assertThatThrownBy(() -> status(sts, Map.of())).isInstanceOf(SSLHandshakeException.class);
        }
    }

    private static int status(ScriptedServer server, Map<String, String> environment) throws IOException {
        SdkHttpRequest request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.GET)
                .uri(server.endpoint())
                .build();
        try (SdkHttpClient client =
                new TrustingHttpService(environment).createHttpClientBuilder().build()) {
            return client.prepareRequest(
                            HttpExecuteRequest.builder().request(request).build())
                    .call()
                    .httpResponse()
                    .statusCode();
        }
    }

    /** A policy that wants a header denies as if there was no right at all. */
    @Test
    void namesTheHeadersThatAPolicyMayWant() throws IOException {
        refuse(Refusal.FORBIDDEN);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .hasMessageContainingAll(
                            "x-amz-server-side-encryption (sse=", "x-amz-tagging (tags=", "x-amz-acl (acl=");
        }
        try (BlobStore store = open("&sse=aws:kms&tags=a=b")) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .hasMessageContaining("kms:GenerateDataKey")
                    .hasMessageContaining("x-amz-acl")
                    .hasMessageNotContaining("x-amz-tagging (")
                    .hasMessageNotContaining("x-amz-server-side-encryption (");
        }
    }

    @Test
    void sendsWhatTheAddressAsksForWithEachObject() throws IOException {
        String key = "arn:aws:kms:eu-west-1:123456789012:key/1-2";
        String data = ArchiveLayout.object("0123456789abcdef", 1, 0, 9, 7, Codec.ZSTD);
        try (BlobStore store = open("&kms-key=" + key + "&bucket-key=true&storage-class=STANDARD_IA"
                + "&tags=team=a b,env=c/d+e&acl=bucket-owner-full-control&requester-pays=true&owner=123456789012")) {
            store.putIfAbsent("hosts/0123456789abcdef/log/1", CONTENT);
            try (BlobWriter writer = store.create(data)) {
                writer.write(CONTENT, 0, CONTENT.byteSize());
                writer.commit();
            }
            store.delete("k");
        }
        assertThat(server.requests().subList(0, 2)).allSatisfy(put -> assertThat(put)
                .contains("\nx-amz-server-side-encryption: aws:kms\n")
                .contains("\nx-amz-server-side-encryption-aws-kms-key-id: " + key + "\n")
                .contains("\nx-amz-server-side-encryption-bucket-key-enabled: true\n")
                .contains("\nx-amz-tagging: team=a%20b&env=c%2Fd%2Be\n")
                .contains("\nx-amz-acl: bucket-owner-full-control\n"));
        assertThat(server.requests()).allSatisfy(each -> assertThat(each)
                .contains("\nx-amz-request-payer: requester\n")
                .contains("\nx-amz-expected-bucket-owner: 123456789012\n"));
        assertThat(server.requests().get(0)).doesNotContain("x-amz-storage-class");
        assertThat(server.requests().get(1)).contains("\nx-amz-storage-class: STANDARD_IA\n");
        assertThat(server.requests().get(2)).doesNotContain("x-amz-server-side", "x-amz-tagging", "x-amz-acl");
    }

    /** Once, since two that send clients to each other would never end; and it is said, since it costs a request. */
    @Test
    void followsABucketToItsRegion() throws IOException {
        Map<String, String> there = Map.of("x-amz-bucket-region", "eu-south-7");
        server.answer(new Answer(301, there, "<Error><Code>PermanentRedirect</Code><Message>there</Message></Error>"));
        server.answer(new Answer(200, Map.of(), ""));
        List<String> notes = new ArrayList<>();
        try (BlobStore store = new S3StoreProvider()
                .open("s3://bucket/p?endpoint=" + server.endpoint() + "&region=eu-north-1", false, notes::add)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isTrue();
            assertThat(store.putIfAbsent("l", CONTENT)).isTrue();
        }
        assertThat(server.requests()).hasSize(3);
        assertThat(server.requests().get(0)).contains("/eu-north-1/s3/aws4_request");
        assertThat(server.requests().subList(1, 3))
                .allSatisfy(each -> assertThat(each).contains("/eu-south-7/s3/aws4_request"));
        assertThat(notes).singleElement(STRING).contains("eu-south-7", "?region=eu-south-7");
    }

    @Test
    void followsABucketOnce() throws IOException {
        server.answer(wrongRegion("eu-south-7"));
        server.answer(wrongRegion("eu-south-8"));
        try (BlobStore store = open("&region=eu-north-1")) {
            assertThatThrownBy(() -> BlobList.all(store, "", null))
                    .hasMessageContaining("AuthorizationHeaderMalformed");
        }
        assertThat(server.requests()).hasSize(2);
    }

    /** The name of a region becomes part of a host's name. */
    @Test
    void followsNobodyIntoWhatIsNoRegion() throws IOException {
        server.answer(wrongRegion("evil.example/"));
        try (BlobStore store = open("&region=eu-north-1")) {
            assertThatThrownBy(() -> BlobList.all(store, "", null))
                    .hasMessageContaining("AuthorizationHeaderMalformed");
        }
        assertThat(server.requests()).hasSize(1);
    }

    private static Answer wrongRegion(String right) {
        return new Answer(
                400,
                Map.of(),
                "<Error><Code>AuthorizationHeaderMalformed</Code><Message>the region is wrong; expecting '" + right
                        + "'</Message></Error>");
    }

    @Test
    void keepsPrefixesOfAnyLetters() throws IOException {
        server.answer(new Answer(200, Map.of(), ""));
        try (BlobStore store = new S3StoreProvider()
                .open("s3://bucket/our logs/\u65e5\u5fd7/a+b%?endpoint=" + server.endpoint(), false, note -> {})) {
            store.putIfAbsent("k", CONTENT);
        }
        assertThat(server.requests().getFirst())
                .startsWith("PUT /bucket/our%20logs/%E6%97%A5%E5%BF%97/a%2Bb%25/k ".strip());
    }

    private BlobStore open(String parameters) throws IOException {
        return new S3StoreProvider()
                .open("s3://bucket/p?endpoint=" + server.endpoint() + parameters, false, note -> {});
    }

    @Override
    protected Answer answer(Refusal refusal) {
        return switch (refusal) {
            case EXISTS -> refusal(412, "PreconditionFailed", "At least one of the pre-conditions did not hold");
            case FORBIDDEN -> refusal(403, "AccessDenied", "Access Denied.");
            case CONFLICT -> refusal(409, "ConditionalRequestConflict", "again");
            case BUSY -> refusal(503, "SlowDown", "Reduce your request rate");
            case TIMED_OUT -> refusal(500, "InternalError", "again");
            case NO_OBJECT -> refusal(404, "NoSuchKey", "none");
            case NO_BUCKET -> refusal(404, "NoSuchBucket", "none");
        };
    }

    private static Answer refusal(int status, String code, String message) {
        String body = "<Error><Code>" + code + "</Code><Message>" + message + "</Message></Error>";
        return new Answer(status, Map.of(), body);
    }

    @Override
    protected Answer page(List<String> names, String next) {
        String objects = names.stream()
                .filter(name -> !name.equals("a")) // start-after leaves that one out, as others' parameters do not
                .map(name -> "<Contents><Key>p/" + name + "</Key><Size>3</Size>"
                        + "<LastModified>2026-01-02T03:04:05Z</LastModified></Contents>")
                .collect(Collectors.joining());
        String more = next.isEmpty()
                ? "<IsTruncated>false</IsTruncated>"
                : "<IsTruncated>true</IsTruncated><NextContinuationToken>" + next + "</NextContinuationToken>";
        return new Answer(200, Map.of(), "<ListBucketResult>" + objects + more + "</ListBucketResult>");
    }

    @Override
    protected String condition() {
        return "If-None-Match";
    }

    @Override
    protected String[] forbidden() {
        return new String[] {"s3://bucket/p", "403 AccessDenied", "s3:PutObject"};
    }

    @Override
    protected String busy() {
        return "503 SlowDown";
    }

    @Override
    protected String missing() {
        return "there is no bucket bucket";
    }

    @Override
    protected String[] listing() {
        return new String[] {"start-after=p%2Fa", "start-after=p%2Fb", "continuation-token=more"};
    }
}
