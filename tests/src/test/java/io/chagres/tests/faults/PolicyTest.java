package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.FaultProxy.Kind;
import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rights of one host as {@code packaging/policies/aws.json} grants them, in a MinIO that enforces policies. It does
 * not know the condition on {@code If-None-Match}, which a proxy before it enforces; and it says that a missing object
 * is missing, which S3 says only to clients that may list the whole bucket.
 */
@Tag("e2e")
@Order(1)
class PolicyTest {
    private static final String OWN = "00000000000000a1";
    private static final String OTHER = "00000000000000b2";
    private static final String CONDITION = ",\n      \"Condition\": {\"Null\": {\"s3:if-none-match\": \"false\"}}";

    @TempDir
    Path directory;

    private ObjectServer server;
    private FaultProxy proxy;
    private List<String> root;
    private List<String> host;

    @BeforeEach
    void start() throws IOException {
        Requires.tool("aws", "pip install awscli==1.45.11");
        server = ObjectServer.minio();
        server.makeBucket("archives");
        proxy = FaultProxy.before(server.endpoint());
        proxy.on(Kind.PUT).without("If-None-Match").answer(403, "AccessDenied");
        proxy.on(Kind.GET, Kind.HEAD).forbidMissing();
        root = environment(server.accessKey(), server.secretKey(), "");
        host = credentials(Files.readString(Repository.root().resolve("packaging/policies/aws.json")));
    }

    @AfterEach
    void stop() throws IOException {
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
        assertThat(chagres(root, server.endpoint(), "cat", "own:**/app.log").out())
                .isEqualTo("one\ntwo\n".getBytes());
    }

    @Test
    void aThiefOfItsKeysHarmsAndReadsNobodyElse() throws IOException {
        Path log = Files.writeString(directory.resolve("app.log"), "secret\n");
        ship(root, "other", OTHER, log);
        ship(host, "own", OWN, log);
        String other = key(OTHER);
        String own = key(OWN);
        String body = log.toString();
        refused("get-object", "--key", other, directory.resolve("stolen").toString());
        refused("list-objects-v2", "--prefix", "p/hosts/" + OTHER + "/");
        refused("list-objects-v2", "--prefix", "p/");
        refused("put-object", "--key", "p/hosts/" + OTHER + "/log/forged", "--body", body, "--if-none-match", "*");
        for (String made : new String[] {
            "compacted/" + OWN + "/0000000000000001-0000000000000000",
            "acknowledged/" + OWN + "/host",
            "hosts/" + OWN + "/checkpoints/0000000000000001.zst",
            "hosts/" + OWN + "/filters/0000000000000000-0000000000000001"
        }) { // what a compaction makes, and what it deletes for
            refused("put-object", "--key", "p/" + made, "--body", body, "--if-none-match", "*");
        }
        refused("delete-object", "--key", other);
        refused("delete-object", "--key", own);
        refused("put-object", "--key", own, "--body", body); // without the condition it would replace
        assertThat(chagres(root, server.endpoint(), "verify").exitCode()).isZero();
    }

    /** Versions of a bucket that keeps all of them for a day cannot be deleted; they are hidden. */
    @Test
    void aBucketWithObjectLock() throws IOException {
        String endpoint = server.endpoint().toString();
        for (String[] call : new String[][] {
            {"create-bucket", "--object-lock-enabled-for-bucket"},
            {
                "put-object-lock-configuration",
                "--object-lock-configuration",
                "ObjectLockEnabled=Enabled,Rule={DefaultRetention={Mode=COMPLIANCE,Days=1}}"
            }
        }) {
            List<String> command = new ArrayList<>(root);
            command.addAll(List.of("aws", "--endpoint-url", endpoint, "s3api", call[0], "--bucket", "locked"));
            command.addAll(List.of(call).subList(1, call.length));
            Program.ok(command.toArray(String[]::new));
        }
        String address = "s3://locked/p?endpoint=" + endpoint;
        Path log = directory.resolve("app.log");
        for (int run = 0; run < 3; run++) {
            Files.writeString(log, "line " + run + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            done(root, "ship", log.toString(), "--to", address, "--host", "own", "--state", directory + "/s", "--once");
        }
        done(root, "compact", address, "--grace", "0");
        done(root, "verify", address);
        done(root, "status", address);
        assertThat(done(root, "cat", address, "own:" + log).out()).isEqualTo(Files.readAllBytes(log));
        List<String> versions = new ArrayList<>(root);
        versions.addAll(List.of("aws", "--endpoint-url", endpoint, "--output", "text", "s3api"));
        versions.addAll(List.of("list-object-versions", "--bucket", "locked", "--query", "length(DeleteMarkers)"));
        assertThat(Integer.parseInt(Program.ok(versions.toArray(String[]::new)).strip()))
                .as("what compact hid")
                .isPositive();
    }

    private static Program done(List<String> environment, String... arguments) {
        List<String> command = new ArrayList<>(environment);
        command.addAll(Chagres.command());
        command.addAll(List.of(arguments));
        Program program = Program.run(command);
        assertThat(program.exitCode()).as(program.err()).isZero();
        return program;
    }

    /** Returns the key of an object of a host, as the superuser sees it. */
    private String key(String id) {
        return Program.ok(aws(
                                root,
                                "s3api",
                                "list-objects-v2",
                                "--prefix",
                                "p/hosts/" + id + "/",
                                "--query",
                                "Contents[0].Key")
                        .toArray(String[]::new))
                .strip();
    }

    private void refused(String... operation) {
        List<String> command = aws(host, "s3api", operation);
        Program program = Program.run(command);
        assertThat(program.exitCode()).as("%s", command).isNotZero();
        assertThat(program.err()).as("%s", command).contains("AccessDenied");
    }

    private void ship(List<String> environment, String name, String id, Path log) {
        String state = directory.resolve("state-" + name).toString();
        List<String> more = List.of("--host", name, "--host-id", id, "--state", state, "--once");
        List<String> command = new ArrayList<>(environment);
        command.addAll(Chagres.command());
        command.addAll(List.of("ship", log.toString(), "--to", address(proxy.endpoint())));
        command.addAll(more);
        Program ship = Program.run(command);
        assertThat(ship.exitCode()).as(ship.err()).isZero();
    }

    private static Program chagres(List<String> environment, URI endpoint, String name, String... args) {
        List<String> command = new ArrayList<>(environment);
        command.addAll(Chagres.command());
        command.addAll(List.of(name, address(endpoint)));
        command.addAll(List.of(args));
        return Program.run(command);
    }

    private static String address(URI endpoint) {
        return "s3://archives/p?endpoint=" + endpoint;
    }

    /** Returns an environment with credentials of the policy, filled in for the host. */
    private List<String> credentials(String policy) throws IOException {
        assertThat(policy).contains(CONDITION);
        Path file = Files.writeString(
                directory.resolve("policy.json"),
                policy.replace(CONDITION, "")
                        .replace("BUCKET", "archives")
                        .replace("PREFIX", "p")
                        .replace("HOSTID", OWN));
        List<String> command = new ArrayList<>(root);
        command.addAll(List.of("aws", "--endpoint-url", server.endpoint().toString(), "--output", "text", "sts"));
        command.addAll(List.of("assume-role", "--role-arn", "arn:aws:iam::000000000000:role/host"));
        command.addAll(List.of("--role-session-name", "host", "--policy", "file://" + file));
        command.addAll(List.of("--query", "Credentials.[AccessKeyId,SecretAccessKey,SessionToken]"));
        String[] fields = Program.ok(command.toArray(String[]::new)).strip().split("\t");
        return environment(fields[0], fields[1], fields[2]);
    }

    private static List<String> environment(String accessKey, String secretKey, String token) {
        List<String> environment =
                new ArrayList<>(List.of("env", "AWS_DEFAULT_REGION=us-east-1", "AWS_REGION=us-east-1"));
        environment.add("AWS_ACCESS_KEY_ID=" + accessKey);
        environment.add("AWS_SECRET_ACCESS_KEY=" + secretKey);
        Chagres.ONE_COMPILER.forEach((name, value) -> environment.add(name + "=" + value));
        if (!token.isEmpty()) {
            environment.add("AWS_SESSION_TOKEN=" + token);
        }
        return environment;
    }

    private List<String> aws(List<String> environment, String service, String... operation) {
        List<String> command = new ArrayList<>(environment);
        command.addAll(List.of("aws", "--endpoint-url", proxy.endpoint().toString(), "--output", "text", service));
        command.add(operation[0]);
        command.addAll(List.of("--bucket", "archives"));
        command.addAll(List.of(operation).subList(1, operation.length));
        return command;
    }
}
