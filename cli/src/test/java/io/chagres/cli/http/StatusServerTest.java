package io.chagres.cli.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.ship.FileRisk;
import io.chagres.ship.Looks;
import io.chagres.ship.Lost;
import io.chagres.ship.ShipStatus;
import io.chagres.ship.metrics.Histogram;
import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatusServerTest {
    private static final ShipStatus SAFE =
            new ShipStatus(1, 2048, 0, 0, 0, 0, 0, 0, 2048, 2048, 1, 0, false, null, 0, Looks.NONE, Lost.NOTHING, 0, 0);
    private static final ShipStatus SCANNING =
            new ShipStatus(0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, true, null, 0, Looks.NONE, Lost.NOTHING, 0, 0);

    private final AtomicLong hangsForMs = new AtomicLong();
    private final AtomicLong nowMs = new AtomicLong(1_700_000_000_000L);
    private final StatusBoard board = new StatusBoard(
            new StatusBoard.About("1.2", "web1", "/archive", "/var/log"),
            () -> Instant.ofEpochMilli(nowMs.get()),
            (json, status) -> json.member("riskBytes", status.riskBytes()));
    private final WorkerThreads threads = new WorkerThreads("test-http-", 2);
    private @Nullable StatusServer server;

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
        threads.close();
    }

    private void serve(@Nullable String token) throws IOException {
        server = StatusServer.open("127.0.0.1:0", token, board, threads);
    }

    private void opened() {
        opened(true);
    }

    private void opened(boolean accepted) {
        Histogram lag = new Histogram();
        lag.record(7);
        lag.record(3_700_000);
        Metrics metrics = new Metrics()
                .gauge("chagres_at_risk_bytes", "At risk.", () -> 12)
                .counter("chagres_retries", "Retries.", "cause=\"full\"", () -> 1)
                .counter("chagres_retries", "Retries.", "cause=\"passing\"", () -> 2)
                .durations("chagres_lag_seconds", "Lag.", lag);
        board.opened(
                () -> metrics,
                () -> List.of(new FileRisk("/var/log/<a>\"&.log", 5, 6, 7)),
                any -> accepted,
                hangsForMs::get);
    }

    /** Sends one request as it stands, and returns the whole answer. */
    private String ask(String request, String... headers) throws IOException {
        URI uri = URI.create(java.util.Objects.requireNonNull(server).address());
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write((request + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String get(String path) throws IOException {
        return ask("GET " + path, "Host: localhost");
    }

    @Test
    void isReadyOnceTheStoreAcceptedAndAllWasScanned() throws IOException {
        serve(null);
        assertThat(get("/healthz")).startsWith("HTTP/1.1 200").endsWith("ok\n");
        assertThat(get("/readyz")).startsWith("HTTP/1.1 503").endsWith("the store has not answered yet\n");
        assertThat(get("/metrics")).startsWith("HTTP/1.1 503");
        board.status(ShipStatus.unopened("refuses since 3 s: full", 1));
        assertThat(get("/readyz")).endsWith("the store refuses since 3 s: full\n");
        opened();
        board.status(SCANNING);
        assertThat(get("/readyz")).startsWith("HTTP/1.1 503").endsWith("the first scan is not done\n");
        board.status(SAFE);
        assertThat(get("/readyz")).startsWith("HTTP/1.1 200");
        assertThat(get("/status.json")).contains("\"status\":{\"riskBytes\":0}");
        hangsForMs.set(40_000);
        assertThat(get("/healthz")).startsWith("HTTP/1.1 503").contains("has hung in a call for 40 s");
        assertThat(get("/readyz")).startsWith("HTTP/1.1 503");
        assertThat(get("/status.json")).contains("\"status\":{\"riskBytes\":-1}");
        board.ended();
        assertThat(get("/readyz")).endsWith("it has ended\n");
    }

    /** An opened store may refuse everything: it is ready once it accepted something, and stays so. */
    @Test
    void isNotReadyWhileNothingWasEverAccepted() throws IOException {
        serve(null);
        opened(false);
        board.status(SAFE);
        assertThat(get("/readyz"))
                .startsWith("HTTP/1.1 503")
                .endsWith("nothing has been accepted yet where the bytes" + " go\n");
        opened(true);
        board.status(SAFE);
        assertThat(get("/readyz")).startsWith("HTTP/1.1 200");
        opened(false);
        board.status(SAFE);
        assertThat(get("/readyz")).startsWith("HTTP/1.1 200");
    }

    @Test
    void tellsMetricsInTheFormThatIsAskedFor() throws IOException {
        serve(null);
        opened();
        assertThat(get("/metrics")).contains("text/plain; version=0.0.4").endsWith("""
                        # HELP chagres_at_risk_bytes At risk.
                        # TYPE chagres_at_risk_bytes gauge
                        chagres_at_risk_bytes 12
                        # HELP chagres_retries_total Retries.
                        # TYPE chagres_retries_total counter
                        chagres_retries_total{cause="full"} 1
                        chagres_retries_total{cause="passing"} 2
                        # HELP chagres_lag_seconds Lag.
                        # TYPE chagres_lag_seconds histogram
                        chagres_lag_seconds_bucket{le="0.005"} 0
                        chagres_lag_seconds_bucket{le="0.01"} 1
                        chagres_lag_seconds_bucket{le="0.025"} 1
                        chagres_lag_seconds_bucket{le="0.05"} 1
                        chagres_lag_seconds_bucket{le="0.1"} 1
                        chagres_lag_seconds_bucket{le="0.25"} 1
                        chagres_lag_seconds_bucket{le="0.5"} 1
                        chagres_lag_seconds_bucket{le="1.0"} 1
                        chagres_lag_seconds_bucket{le="2.5"} 1
                        chagres_lag_seconds_bucket{le="5.0"} 1
                        chagres_lag_seconds_bucket{le="10.0"} 1
                        chagres_lag_seconds_bucket{le="30.0"} 1
                        chagres_lag_seconds_bucket{le="60.0"} 1
                        chagres_lag_seconds_bucket{le="300.0"} 1
                        chagres_lag_seconds_bucket{le="3600.0"} 1
                        chagres_lag_seconds_bucket{le="+Inf"} 2
                        chagres_lag_seconds_sum 3700.007
                        chagres_lag_seconds_count 2
                        """);
        assertThat(ask("GET /metrics", "Host: localhost", "Accept: application/openmetrics-text; version=1.0.0"))
                .contains("application/openmetrics-text; version=1.0.0")
                .contains("# TYPE chagres_retries counter\nchagres_retries_total{cause=\"full\"} 1\n")
                .contains("# UNIT chagres_lag_seconds seconds\n")
                .endsWith("# EOF\n");
    }

    @Test
    void keepsTheWorstOfEachSample() throws IOException {
        serve(null);
        opened();
        for (int second = 0; second < 20; second++) {
            long risk = second == 3 ? 900 : second;
            board.status(new ShipStatus(
                    1, second, risk, risk, 0, 0, 0, 0, 0, 0, 1, 0, false, null, 0, Looks.NONE, Lost.NOTHING, 0, 0));
            nowMs.addAndGet(1000);
        }
        board.message("/x cannot be read");
        assertThat(get("/status.json"))
                .contains("\"riskBytes\":[900,19]", "\"shippedBytes\":[9,19]")
                .contains("{\"path\":\"/var/log/<a>\\\"&.log\",\"riskBytes\":5,\"riskMs\":6,\"bytes\":7}")
                .contains("\"text\":\"/x cannot be read\"");
        assertThat(get("/")).startsWith("HTTP/1.1 200").contains("<title>chagres ship</title>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "evil.example:7788", "127.0.0.1.evil.example", "10.0.0.1", ""})
    void refusesWhoMeansAnotherMachine(String host) throws IOException {
        serve(null);
        assertThat(ask("GET /status.json", "Host: " + host))
                .startsWith("HTTP/1.1 4")
                .doesNotContain("web1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:1", "127.0.0.1:7788", "[::1]:80"})
    void answersWhoMeansThisMachine(String host) throws IOException {
        serve(null);
        assertThat(ask("GET /status.json", "Host: " + host)).startsWith("HTTP/1.1 200");
    }

    @Test
    void asksForTheToken() throws IOException {
        serve("secret");
        String basic = Base64.getEncoder().encodeToString("x:secret".getBytes(StandardCharsets.UTF_8));
        assertThat(ask("GET /healthz", "Host: any.example")).startsWith("HTTP/1.1 401");
        assertThat(ask("GET /healthz", "Host: a", "Authorization: Bearer wrong"))
                .startsWith("HTTP/1.1 401");
        assertThat(ask("GET /healthz", "Host: a", "Authorization: Basic ???")).startsWith("HTTP/1.1 401");
        assertThat(ask("GET /healthz", "Host: a", "Authorization: Bearer secret"))
                .startsWith("HTTP/1.1 200");
        assertThat(ask("GET /healthz", "Host: a", "Authorization: Basic " + basic))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void changesNothing() throws IOException {
        serve(null);
        assertThat(ask("POST /healthz", "Host: localhost", "Content-Length: 0")).startsWith("HTTP/1.1 405");
        assertThat(ask("HEAD /", "Host: localhost")).startsWith("HTTP/1.1 200").endsWith("\r\n\r\n");
        assertThat(get("/../../etc/passwd")).startsWith("HTTP/1.1 404");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0.0.0.0:0 | give a token",
                "nonsense | ADDRESS:PORT",
                "127.0.0.1 | ADDRESS:PORT",
                "a:b:c | ADDRESS"
            })
    void refusesAddressesThatAreNoneOrOpen(String address, String said) {
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> StatusServer.open(address, null, board, threads))
                .withMessageContaining(said);
    }
}
