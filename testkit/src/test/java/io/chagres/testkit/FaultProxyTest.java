package io.chagres.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.chagres.testkit.FaultProxy.Kind;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Drives the proxy in front of a server that keeps what is put. */
@SuppressWarnings("NullAway.Init")
class FaultProxyTest {
    private static final int LARGE = 3_000_000;

    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final Set<Integer> connections = ConcurrentHashMap.newKeySet();
    private final Set<String> hosts = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private HttpServer server;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
        proxy = FaultProxy.before(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
    }

    @AfterEach
    void stop() {
        client.close();
        proxy.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            connections.add(exchange.getRemoteAddress().getPort());
            hosts.add(exchange.getRequestHeaders().getFirst("Host"));
            String path = exchange.getRequestURI().getPath();
            byte[] body = new byte[LARGE + 1];
            int length = 0;
            InputStream in = exchange.getRequestBody();
            for (int count = 0; count >= 0; count = in.read(body, length, body.length - length)) {
                length += count;
                begun.put(path, (long) length);
            }
            if (exchange.getRequestMethod().equals("PUT")) {
                objects.put(path, Arrays.copyOf(body, length));
            }
            byte[] answer = exchange.getRequestMethod().equals("GET") ? objects.get(path) : null;
            exchange.sendResponseHeaders(200, answer == null ? -1 : answer.length);
            if (answer != null) {
                exchange.getResponseBody().write(answer);
            }
        }
    }

    private HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(proxy.endpoint().resolve(target));
    }

    private int put(String target, BodyPublisher body) throws IOException, InterruptedException {
        return client.send(request(target).PUT(body).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static byte[] large() {
        byte[] bytes = new byte[LARGE];
        Seeds.random(1).nextBytes(bytes);
        return bytes;
    }

    @Test
    void whatNoRuleIsForPassesUnchanged() throws Exception {
        byte[] large = large();
        assertThat(put("/whole", BodyPublishers.ofByteArray(large))).isEqualTo(200);
        assertThat(put("/chunks", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large))))
                .isEqualTo(200);
        assertThat(put("/none", BodyPublishers.noBody())).isEqualTo(200);
        assertThat(send(request("/asked").PUT(BodyPublishers.ofByteArray(large)).expectContinue(true))
                        .statusCode())
                .isEqualTo(200);
        assertThat(send(request("/whole").HEAD()).statusCode()).isEqualTo(200);
        assertThat(send(request("/whole")).body()).isEqualTo(large);

        assertThat(objects.get("/chunks")).isEqualTo(large);
        assertThat(objects.get("/asked")).isEqualTo(large);
        assertThat(objects.get("/none")).isEmpty();
        assertThat(connections).as("kept alive").hasSize(1);
        assertThat(hosts).containsExactly(proxy.endpoint().getAuthority());
    }

    @Test
    void answersAreDamagedOnTheirWay() throws Exception {
        byte[] large = large();
        put("/a", BodyPublishers.ofByteArray(large));
        ProxyRule flip = proxy.on(Kind.GET).next(1).flipInAnswer();
        byte[] flipped = send(request("/a")).body();
        assertThat(flipped).hasSize(LARGE).isNotEqualTo(large);
        ProxyRule cut = proxy.on(Kind.GET).next(1).cutAnswer();
        assertThatThrownBy(() -> send(request("/a"))).isInstanceOf(IOException.class);
        assertThat(send(request("/a")).body()).isEqualTo(large);
        assertThat(objects.get("/a")).isEqualTo(large);
        assertThat(flip.applied()).isOne();
        assertThat(cut.applied()).isOne();
    }

    @Test
    void requestsAreCountedByKindAndMethod() throws Exception {
        put("/b/a", BodyPublishers.ofString("x"));
        send(request("/b/a"));
        send(request("/b/a?versionId=list-type"));
        send(request("/b/a").HEAD());
        send(request("/b?list-type=2&prefix=a"));
        send(request("/b?prefix=a&list-type=2"));
        send(request("/storage/v1/b/bucket/o?prefix=a"));
        send(request("/storage/v1/b/bucket/o/a?alt=media"));
        send(request("/account/b?restype=container&comp=list&prefix=a"));
        send(request("/account/b/a?comp=listing"));
        send(request("/upload/storage/v1/b/bucket/o?name=a").POST(BodyPublishers.ofString("x")));
        send(request("/b/a?uploads").POST(BodyPublishers.noBody()));
        send(request("/b/a").DELETE());

        assertThat(proxy.count(Kind.PUT)).isEqualTo(2);
        assertThat(proxy.count(Kind.GET)).isEqualTo(4);
        assertThat(proxy.count(Kind.HEAD)).isOne();
        assertThat(proxy.count(Kind.LIST)).isEqualTo(4);
        assertThat(proxy.count(Kind.DELETE)).isOne();
        assertThat(proxy.count(Kind.OTHER)).isOne();
        assertThat(proxy.count("POST")).isEqualTo(2);
        assertThat(proxy.count("GET")).isEqualTo(8);
        assertThat(proxy.count()).isEqualTo(13);
        proxy.resetCounts();
        assertThat(proxy.count()).isZero();
    }

    @Test
    void answersInTheServersPlace() throws Exception {
        ProxyRule rule =
                proxy.on(Kind.PUT, Kind.HEAD).within("/bucket/").next(3).answer(503, "SlowDown");
        HttpResponse<byte[]> refused = send(request("/bucket/a").PUT(BodyPublishers.ofByteArray(large())));
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(new String(refused.body(), ISO_8859_1)).contains("<Code>SlowDown</Code>");
        assertThat(send(request("/bucket/a").HEAD()).statusCode()).isEqualTo(503);
        assertThat(put("/other", BodyPublishers.noBody())).isEqualTo(200);
        assertThat(send(request("/bucket/a")
                                .PUT(BodyPublishers.ofByteArray(large()))
                                .expectContinue(true))
                        .statusCode())
                .isEqualTo(503);
        assertThat(begun.keySet()).containsExactly("/other");
        assertThat(put("/bucket/a", BodyPublishers.ofString("x"))).isEqualTo(200);
        Await.until("all are counted", () -> rule.applied() == 3);
    }

    @Test
    void aShareOfRequestsIsTheSameWithTheSameSeed() throws Exception {
        List<Integer> first = statuses();
        assertThat(first).contains(200, 429);
        assertThat(statuses()).isEqualTo(first);
        proxy.heal();
        assertThat(put("/a", BodyPublishers.noBody())).isEqualTo(200);
    }

    private List<Integer> statuses() throws Exception {
        ProxyRule rule = proxy.on().share(0.3, 7).answer(429, "TooManyRequests");
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            statuses.add(put("/a", BodyPublishers.noBody()));
        }
        rule.remove();
        return statuses;
    }

    @Test
    void aLostResponseLeavesTheObject() throws Exception {
        ProxyRule rule = proxy.on(Kind.PUT).next(2).loseResponse();
        assertThatThrownBy(() -> put("/a", BodyPublishers.ofByteArray(large()))).isInstanceOf(IOException.class);
        assertThatThrownBy(() ->
                        send(request("/b").PUT(BodyPublishers.ofString("b")).expectContinue(true)))
                .isInstanceOf(IOException.class);
        assertThat(objects.get("/a")).isEqualTo(large());
        assertThat(objects.get("/b")).isEqualTo(new byte[] {'b'});
        Await.until("both are counted", () -> rule.applied() == 2);
        assertThat(put("/a", BodyPublishers.ofString("again"))).isEqualTo(200);
    }

    @Test
    void aCutUploadEndsAtItsByte() throws Exception {
        ProxyRule rule = proxy.on(Kind.PUT).next(1).cutAfter(100_000);
        assertThatThrownBy(() -> put("/cut", BodyPublishers.ofByteArray(large())))
                .isInstanceOf(IOException.class);
        Await.until("the server has read what was passed", () -> begun.getOrDefault("/cut", 0L) == 100_000);
        assertThat(objects).doesNotContainKey("/cut");
        Await.until("it is counted", () -> rule.applied() == 1);

        proxy.on(Kind.PUT).next(1).cutAfter(100_000);
        assertThatThrownBy(() -> put("/chunks", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large()))))
                .isInstanceOf(IOException.class);
        assertThat(objects).doesNotContainKey("/chunks");

        proxy.on(Kind.PUT).next(1).cutAfter(100_000);
        assertThatThrownBy(() -> put("/short", BodyPublishers.ofString("all of it")))
                .isInstanceOf(IOException.class);
        Await.until("the server has all", () -> objects.containsKey("/short"));
        assertThat(put("/cut", BodyPublishers.ofByteArray(large()))).isEqualTo(200);
    }

    @Test
    void aDelayedRequestWaitsUntilTheRuleEnds() throws Exception {
        ProxyRule rule = proxy.on(Kind.PUT).delay(Duration.ofHours(1));
        CompletableFuture<HttpResponse<Void>> slow = client.sendAsync(
                request("/a").PUT(BodyPublishers.ofString("x")).build(), HttpResponse.BodyHandlers.discarding());
        Await.until("it has come", () -> proxy.count(Kind.PUT) == 1);
        assertThat(send(request("/b").HEAD()).statusCode()).isEqualTo(200);
        assertThat(slow).isNotDone();
        rule.remove();
        assertThat(slow.join().statusCode()).isEqualTo(200);
        proxy.on().delay(Duration.ofMillis(1));
        assertThat(put("/a", BodyPublishers.noBody())).isEqualTo(200);
    }

    @Test
    void refusesAndAcceptsConnections() throws Exception {
        assertThat(put("/a", BodyPublishers.noBody())).isEqualTo(200);
        proxy.refuse();
        assertThatThrownBy(() -> put("/a", BodyPublishers.noBody())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> put("/a", BodyPublishers.noBody())).isInstanceOf(ConnectException.class);
        proxy.accept();
        assertThat(put("/a", BodyPublishers.noBody())).isEqualTo(200);
    }

    @Test
    void theEndOfTheServerIsTheEndOfItsConnections() throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), proxy.endpoint().getPort())) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            socket.getOutputStream().write("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1));
            assertThat(status(in)).isEqualTo(200);
            server.stop(0);
            assertThat(in.read()).as("the end").isEqualTo(-1);
        }
        assertThatThrownBy(() -> put("/a", BodyPublishers.noBody())).isInstanceOf(IOException.class);
    }

    @Test
    void aBodyThatTheServerDoesNotWantIsNotAwaited() throws Exception {
        try (ServerSocket strict = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FaultProxy before = FaultProxy.before(URI.create("http://127.0.0.1:" + strict.getLocalPort()));
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), before.endpoint().getPort())) {
            Future<?> served = threads.submit(() -> {
                try (Socket accepted = strict.accept()) {
                    InputStream requests = new BufferedInputStream(accepted.getInputStream());
                    for (int status : List.of(412, 204)) {
                        assertThat(HttpHead.read(requests)).isNotNull();
                        accepted.getOutputStream()
                                .write(("HTTP/1.1 " + status + " x\r\nContent-Length: 0\r\n\r\n").getBytes(ISO_8859_1));
                    }
                }
                return null;
            });
            InputStream in = new BufferedInputStream(socket.getInputStream());
            socket.getOutputStream()
                    .write("PUT /a HTTP/1.1\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n"
                            .getBytes(ISO_8859_1));
            assertThat(status(in)).isEqualTo(412);
            socket.getOutputStream().write("DELETE /a HTTP/1.1\r\n\r\n".getBytes(ISO_8859_1));
            assertThat(status(in)).isEqualTo(204);
            served.get();
        }
    }

    private static int status(InputStream in) throws IOException {
        HttpHead head = HttpHead.read(in);
        assertThat(head).isNotNull();
        return head.status();
    }
}
