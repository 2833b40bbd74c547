package io.chagres.stores.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.RefusalContract;
import io.chagres.archive.store.StoreException;
import io.chagres.testkit.ScriptedServer.Answer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the store makes of answers of S3. */
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

    /** Whoever reads the line could use a token until it ends; a key only signs. */
    @Test
    void keepsSessionTokensOffTheOpenLine() throws IOException {
        System.setProperty("aws.sessionToken", "TOKENSECRET");
        try {
            String open = server.endpoint().toString().replace("127.0.0.1", "0.0.0.0");
            assertThat(open).contains("0.0.0.0");
            assertThatThrownBy(() -> new S3StoreProvider()
                            .open("s3://bucket/p?endpoint=" + open, false)
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

    /** What a lifecycle rule moved is there: nobody may take it for damaged or missing. */
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

    @Override
    protected BlobStore open(boolean create) throws IOException {
        return new S3StoreProvider().open("s3://bucket/p?endpoint=" + server.endpoint(), create);
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
        return new String[] {"start-after=p%2Fa", "continuation-token=more"};
    }
}
