package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The key of a service account becomes tokens, and those go nowhere but over TLS. */
@Tag("e2e")
class GcsCredentialsTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path scratch;

    private final AtomicInteger tokens = new AtomicInteger();
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final HttpServer authority = HttpServer.create(loopback(), 0);

    GcsCredentialsTest() throws IOException {
        authority.createContext("/token", exchange -> {
            String token = "token-" + tokens.incrementAndGet();
            answer(exchange, 200, "{\"access_token\":\"" + token + "\",\"expires_in\":3600,\"token_type\":\"Bearer\"}");
        });
        authority.start();
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @AfterEach
    void stop() {
        authority.stop(0);
    }

    private static void answer(HttpExchange exchange, int status, String json) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Answers with an empty bucket, but no longer accepts the first token. */
    private <S extends HttpServer> S storage(S server) {
        server.createContext("/", exchange -> {
            String authorization = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
            seen.add(authorization);
            boolean stale = authorization.equals("Bearer token-1");
            answer(exchange, stale ? 401 : 200, stale ? "{\"error\":{\"code\":401,\"message\":\"stale\"}}" : "{}");
        });
        server.start();
        return server;
    }

    private Path keyFile(String privateKey) throws IOException {
        String pem = "-----BEGIN PRIVATE KEY-----\\n" + privateKey + "\\n-----END PRIVATE KEY-----\\n";
        return Files.writeString(
                scratch.resolve("key.json"),
                "{\"type\":\"service_account\",\"client_id\":\"1\",\"client_email\":\"a@b\",\"private_key_id\":\"1\","
                        + "\"token_uri\":\"http://127.0.0.1:"
                        + authority.getAddress().getPort() + "/token\",\"private_key\":\"" + pem + "\"}");
    }

    private Path goodKey() throws IOException, GeneralSecurityException {
        KeyPairGenerator pairs = KeyPairGenerator.getInstance("RSA");
        pairs.initialize(2048);
        return keyFile(Base64.getEncoder()
                .encodeToString(pairs.generateKeyPair().getPrivate().getEncoded()));
    }

    private Program ls(Path key, String parameters, String flags) {
        Map<String, String> environment =
                Map.of("GOOGLE_APPLICATION_CREDENTIALS", key.toString(), "CHAGRES_JVM_FLAGS", flags);
        return new Archive("gs://bucket/prefix" + parameters, scratch, scratch, environment, List.of())
                .through()
                .run("ls");
    }

    @Test
    void sendsATokenAndAnotherOneWhenItIsStale() throws Exception {
        Path store = scratch.resolve("tls.p12");
        Program.ok((System.getProperty("java.home")
                        + "/bin/keytool -genkeypair -alias server -keyalg EC -dname CN=localhost -ext san=ip:127.0.0.1"
                        + " -validity 2 -storepass " + PASSWORD + " -keystore " + store)
                .split(" "));
        HttpsServer server = HttpsServer.create(loopback(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls(store)));
        storage(server);
        try {
            Program ls = ls(
                    goodKey(),
                    "?endpoint=https://127.0.0.1:" + server.getAddress().getPort(),
                    "-Djavax.net.ssl.trustStore=" + store + " -Djavax.net.ssl.trustStorePassword=" + PASSWORD);
            assertThat(ls.err()).contains("holds no host yet");
            assertThat(seen).startsWith("Bearer token-1", "Bearer token-2").doesNotContain("null");
        } finally {
            server.stop(0);
        }
    }

    private static SSLContext tls(Path store) throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    @Test
    void sendsNoTokenThatEverybodyCouldRead() throws Exception {
        HttpServer server = storage(HttpServer.create(loopback(), 0));
        try {
            ls(goodKey(), "?endpoint=http://127.0.0.1:" + server.getAddress().getPort(), "");
            assertThat(seen).isNotEmpty().containsOnly("null");
            assertThat(tokens).hasValue(0);
        } finally {
            server.stop(0);
        }
    }

    /** It is named by its file, and nothing of it is said. */
    @Test
    void refusesAKeyThatIsNone() throws IOException {
        Program ls = ls(keyFile("NOTTHESECRET"), "", "");
        assertThat(ls.exitCode()).isEqualTo(1);
        assertThat(ls.err()).contains("gs://bucket/prefix", "key.json").doesNotContain("NOTTHESECRET");
    }
}
