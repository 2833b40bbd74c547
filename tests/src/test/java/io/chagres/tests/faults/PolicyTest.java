package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Await;
import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.FaultProxy.Kind;
import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ObjectLockEnabled;
import software.amazon.awssdk.services.s3.model.ObjectLockRetentionMode;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.model.Credentials;
import software.amazon.awssdk.services.sts.model.StsException;

/**
 * The rights of one host as {@code packaging/policies/aws.json} grants them, in a MinIO that enforces policies. It does
 * not know the condition on {@code If-None-Match}, which a proxy before it enforces; and it says that a missing object
 * is missing, which S3 says only to clients that may list the whole bucket.
 */
@Tag("e2e")
class PolicyTest {
    private static final String OWN = "00000000000000a1";
    private static final String OTHER = "00000000000000b2";
    private static final String CONDITION = ",\n      \"Condition\": {\"Null\": {\"s3:if-none-match\": \"false\"}}";

    @TempDir
    Path directory;

    private ObjectServer server;
    private FaultProxy proxy;
    private AwsCredentials root;
    private AwsCredentials host;
    private S3Client atRoot;
    private S3Client atHost;

    @BeforeEach
    void start() throws IOException {
        server = ObjectServer.minio();
        server.makeBucket("archives");
        proxy = FaultProxy.before(server.endpoint());
        proxy.on(Kind.PUT).without("If-None-Match").answer(403, "AccessDenied");
        proxy.on(Kind.GET, Kind.HEAD).forbidMissing();
        root = AwsBasicCredentials.create(server.accessKey(), server.secretKey());
        System.setProperty("aws.accessKeyId", server.accessKey()); // those of all servers of S3 in this JVM
        System.setProperty("aws.secretAccessKey", server.secretKey());
        host = credentials(Files.readString(Repository.root().resolve("packaging/policies/aws.json")));
        atRoot = client(server.endpoint(), root);
        atHost = client(proxy.endpoint(), host);
    }

    @AfterEach
    void stop() throws IOException {
        if (atHost != null) {
            atHost.close();
            atRoot.close();
        }
        if (proxy != null) {
            proxy.close();
            server.close();
        }
    }

    @Test
    void aHostShipsStartsAgainAndReadsItsOwn() throws IOException {
        Path log = Files.writeString(directory.resolve("app.log"), "one\n");
        ship(host, "own", OWN, log);
        Files.writeString(log, "one\ntwo\n");
        ship(host, "own", OWN, log);
        assertThat(archive("archives").cat("own:**/app.log")).isEqualTo("one\ntwo\n".getBytes());
    }

    @Test
    void aThiefOfItsKeysHarmsAndReadsNobodyElse() throws IOException {
        Path log = Files.writeString(directory.resolve("app.log"), "secret\n");
        ship(root, "other", OTHER, log);
        ship(host, "own", OWN, log);
        String other = key(OTHER);
        String own = key(OWN);
        refused(() -> atHost.getObjectAsBytes(get -> get.bucket("archives").key(other)));
        refused(() -> list("p/hosts/" + OTHER + "/"));
        refused(() -> list("p/"));
        refused(() -> put("p/hosts/" + OTHER + "/log/forged", true));
        for (String made : new String[] {
            "compacted/" + OWN + "/0000000000000001-0000000000000000",
            "acknowledged/" + OWN + "/host",
            "hosts/" + OWN + "/checkpoints/0000000000000001.zst",
            "hosts/" + OWN + "/filters/0000000000000000-0000000000000001"
        }) { // what a compaction makes, and what it deletes for
            refused(() -> put("p/" + made, true));
        }
        refused(() -> atHost.deleteObject(delete -> delete.bucket("archives").key(other)));
        refused(() -> atHost.deleteObject(delete -> delete.bucket("archives").key(own)));
        refused(() -> put(own, false)); // without the condition it would replace
        archive("archives").verify();
    }

    /** Versions of a bucket that keeps all of them for a day cannot be deleted; they are hidden. */
    @Test
    void aBucketWithObjectLock() throws IOException {
        atRoot.createBucket(create -> create.bucket("locked").objectLockEnabledForBucket(true));
        atRoot.putObjectLockConfiguration(put -> put.bucket("locked")
                .objectLockConfiguration(lock -> lock.objectLockEnabled(ObjectLockEnabled.ENABLED)
                        .rule(rule -> rule.defaultRetention(keep ->
                                keep.mode(ObjectLockRetentionMode.COMPLIANCE).days(1)))));
        Archive locked = archive("locked");
        Path log = directory.resolve("app.log");
        for (int run = 0; run < 3; run++) {
            Files.writeString(log, "line " + run + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            ship(root, "own", OWN, log, locked.address());
        }
        locked.ok("compact", "--grace", "0");
        locked.verify();
        locked.ok("status");
        assertThat(locked.cat("own:" + log)).isEqualTo(Files.readAllBytes(log));
        assertThat(atRoot.listObjectVersions(list -> list.bucket("locked")).deleteMarkers())
                .as("what compact hid")
                .isNotEmpty();
    }

    /** The archive as the superuser of the server sees it, read in this JVM. */
    private Archive archive(String bucket) {
        return new Archive(address(bucket, server.endpoint()), directory, directory, Map.of(), List.of());
    }

    private static String address(String bucket, URI endpoint) {
        return "s3://" + bucket + "/p?endpoint=" + endpoint;
    }

    /** Returns the key of an object of a host, as the superuser sees it. */
    private String key(String id) {
        return atRoot.listObjectsV2(list -> list.bucket("archives").prefix("p/hosts/" + id + "/"))
                .contents()
                .getFirst()
                .key();
    }

    private void list(String prefix) {
        atHost.listObjectsV2(list -> list.bucket("archives").prefix(prefix));
    }

    private void put(String key, boolean isConditional) {
        PutObjectRequest.Builder put =
                PutObjectRequest.builder().bucket("archives").key(key);
        atHost.putObject((isConditional ? put.ifNoneMatch("*") : put).build(), RequestBody.fromString("forged"));
    }

    private static void refused(ThrowingCallable request) {
        assertThatThrownBy(request).isInstanceOfSatisfying(S3Exception.class, answer -> assertThat(
                        answer.awsErrorDetails().errorCode())
                .isEqualTo("AccessDenied"));
    }

    private void ship(AwsCredentials keys, String name, String id, Path log) {
        ship(keys, name, id, log, address("archives", proxy.endpoint()));
    }

    private void ship(AwsCredentials keys, String name, String id, Path log, String address) {
        List<String> command = environment(keys);
        command.addAll(Chagres.command());
        command.addAll(List.of("ship", log.toString(), "--to", address, "--once"));
        command.addAll(List.of("--host", name, "--host-id", id));
        command.addAll(List.of("--state", directory.resolve("state-" + name).toString()));
        Program ship = Program.run(command);
        assertThat(ship.exitCode()).as(ship.err()).isZero();
    }

    private static S3Client client(URI endpoint, AwsCredentials keys) {
        return S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(StaticCredentialsProvider.create(keys))
                .build();
    }

    /** Returns credentials of the policy, filled in for the host. */
    private AwsCredentials credentials(String policy) {
        assertThat(policy).contains(CONDITION);
        String filled = policy.replace(CONDITION, "")
                .replace("BUCKET", "archives")
                .replace("PREFIX", "p")
                .replace("HOSTID", OWN);
        try (StsClient sts = StsClient.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .endpointOverride(server.endpoint())
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(root))
                .build()) {
            AtomicReference<Credentials> assumed = new AtomicReference<>();
            Await.until("the server knows users, which is later than buckets", () -> {
                try {
                    assumed.set(sts.assumeRole(assume -> assume.roleArn("arn:aws:iam::000000000000:role/host")
                                    .roleSessionName("host")
                                    .policy(filled))
                            .credentials());
                    return true;
                } catch (StsException e) {
                    if (String.valueOf(e.getMessage()).contains("not initialized")) {
                        return false;
                    }
                    throw e;
                }
            });
            Credentials given = Objects.requireNonNull(assumed.get());
            return AwsSessionCredentials.create(given.accessKeyId(), given.secretAccessKey(), given.sessionToken());
        }
    }

    private static List<String> environment(AwsCredentials keys) {
        List<String> environment =
                new ArrayList<>(List.of("env", "AWS_DEFAULT_REGION=us-east-1", "AWS_REGION=us-east-1"));
        environment.add("AWS_ACCESS_KEY_ID=" + keys.accessKeyId());
        environment.add("AWS_SECRET_ACCESS_KEY=" + keys.secretAccessKey());
        Chagres.ONE_COMPILER.forEach((name, value) -> environment.add(name + "=" + value));
        if (keys instanceof AwsSessionCredentials session) {
            environment.add("AWS_SESSION_TOKEN=" + session.sessionToken());
        }
        return environment;
    }
}
