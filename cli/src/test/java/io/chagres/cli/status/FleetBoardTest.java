package io.chagres.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Heartbeat;
import io.chagres.archive.read.FleetStatus;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.Main;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.Termination;
import io.chagres.ship.metrics.Metrics;
import io.chagres.testkit.Await;
import io.chagres.testkit.Repository;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the board shows of a whole fleet over HTTP. */
class FleetBoardTest {
    private static final long EVERY_MS = 60_000;

    private final AtomicLong nowMs = new AtomicLong(1_700_000_000_000L);

    private FleetBoard board(int mostHosts) {
        return new FleetBoard("/mnt/archive", () -> Instant.ofEpochMilli(nowMs.get()), EVERY_MS, mostHosts);
    }

    private static Row row(String host, FleetStatus.State state, long riskBytes) {
        Heartbeat word = new Heartbeat(
                Heartbeat.State.RUNNING,
                1,
                60_000,
                riskBytes,
                riskBytes < 0 ? -1 : 2500,
                riskBytes,
                3,
                0,
                "1",
                "/logs",
                "",
                0,
                0,
                0);
        return new Row(host, new Row.Fleet("id-" + host), state, 1_699_999_990_000L, word, "", null, 0);
    }

    private static String text(FleetBoard board) {
        return Objects.requireNonNull(board.metrics()).text(false);
    }

    @Test
    void tellsTheSumAndTheWorstHosts() {
        FleetBoard board = board(2);
        assertThat(board.metrics()).isNull();
        assertThat(board.obstacle()).isEqualTo("the archive has not answered yet");
        board.looked(List.of(
                row("a", FleetStatus.State.LIVE, 0),
                row("b\"\\\n", FleetStatus.State.LATE, 7),
                row("c", FleetStatus.State.GONE_AT_RISK, -1)));
        assertThat(board.obstacle()).isNull();
        assertThat(text(board))
                .contains("chagres_fleet_hosts{state=\"live\"} 1\n", "chagres_fleet_hosts{state=\"fenced\"} 0\n")
                .contains("chagres_fleet_alarming 2\n", "chagres_fleet_untold 1\n", "chagres_fleet_up 1\n")
                .contains(
                        "chagres_host_at_risk_bytes{host=\"b\\\"\\\\\\n\",id=\"id-b",
                        "\",state=\"late\",fenced=\"\"} 7\n")
                .contains("chagres_host_at_risk_bytes{host=\"c\",id=\"id-c\",state=\"gone at risk\",fenced=\"\"} NaN\n")
                .contains("chagres_host_at_risk_seconds{host=\"c\",id=\"id-c\",state=\"gone at risk\",fenced=\"\"}"
                        + " NaN\n")
                .contains("chagres_host_unverified_bytes{host=\"c\",id=\"id-c\",state=\"gone at risk\",fenced=\"\"}"
                        + " NaN\n")
                .contains("chagres_host_heard_timestamp_seconds{host=\"c\"")
                .doesNotContain("host=\"a\"");
        assertThat(board.json())
                .contains(
                        "\"untold\":1", "\"host\":\"c\"", "\"sum\":\"1 live, 1 late, 1 gone at risk: look at 2 ships\"")
                .doesNotContain("\"host\":\"a\"");
    }

    /** An archive without hosts is said to be one. */
    @Test
    void aHostThatVanishedStays() {
        FleetBoard board = board(10);
        board.looked(List.of(row("a", FleetStatus.State.LIVE, 0), row("b", FleetStatus.State.LIVE, 0)));
        board.looked(List.of(row("a", FleetStatus.State.LIVE, 0)));
        assertThat(text(board))
                .contains("chagres_fleet_hosts{state=\"unknown\"} 1\n", "chagres_fleet_alarming 1\n")
                .contains("chagres_host_alarming{host=\"b\",id=\"id-b\",state=\"unknown\",fenced=\"\"} 1\n");
        assertThat(board.json()).contains("it was in the archive, and is not there now");
        board.looked(List.of(row("a", FleetStatus.State.LIVE, 0), row("b", FleetStatus.State.LIVE, 0)));
        assertThat(text(board)).contains("chagres_fleet_alarming 0\n");
    }

    /** A fenced ship that begins again has no line of its own: that is no host that vanished. */
    @Test
    void aFencedShipThatBeginsAgainIsOver() {
        FleetBoard board = board(10);
        board.looked(List.of(row("a", FleetStatus.State.LIVE, 0), row("a", FleetStatus.State.FENCED, 5)));
        assertThat(text(board)).contains("chagres_fleet_alarming 1\n");
        board.looked(List.of(row("a", FleetStatus.State.LIVE, 0)));
        assertThat(text(board)).contains("chagres_fleet_alarming 0\n", "chagres_fleet_hosts{state=\"unknown\"} 0\n");
        board.looked(List.of(row("a", FleetStatus.State.LIVE, 0), row("a", FleetStatus.State.FENCED, 5)));
        board.looked(List.of(row("b", FleetStatus.State.LIVE, 0)));
        assertThat(text(board))
                .contains("chagres_fleet_hosts{state=\"unknown\"} 1\n", "chagres_fleet_hosts{state=\"fenced\"} 1\n");
    }

    /** Of the hosts that are told, and of an hour. */
    @Test
    void showsWhatWasAtRisk() {
        FleetBoard board = board(2);
        for (int look = 0; look < 70; look++) {
            board.looked(List.of(
                    row("a", FleetStatus.State.LATE, look),
                    row("b", FleetStatus.State.LIVE, 0),
                    row("c", FleetStatus.State.LIVE, look)));
        }
        assertThat(board.json()).containsOnlyOnce("\"history\"").contains("\"history\":[10,11,12,", ",68,69]}");
        board.looked(List.of(row("a", FleetStatus.State.UNKNOWN, -1)));
        assertThat(board.json()).contains(",69,-1]}");
    }

    @Test
    void saysThatWhatItTellsIsOld() {
        FleetBoard board = board(10);
        board.looked(List.of(row("a", FleetStatus.State.LIVE, 0)));
        board.refused("403 Forbidden");
        assertThat(text(board)).contains("chagres_fleet_up 0\n", "chagres_fleet_hosts{state=\"live\"} 1\n");
        assertThat(board.ailment()).isNull();
        nowMs.addAndGet(4 * EVERY_MS);
        assertThat(board.ailment()).isEqualTo("the archive was not read for 240 s: 403 Forbidden");
    }

    private static String get(String address, String path) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(address + path)).build(), BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void servesUntilASignal(@TempDir Path directory) throws Exception {
        try (SmallArchive writer = new SmallArchive(directory.resolve("archive"), "web1")) {
            writer.commit(1);
        }
        CompletableFuture<Runnable> stop = new CompletableFuture<>();
        Termination termination = stop::complete;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CommandContext context =
                CommandContext.of(new ByteArrayOutputStream(), err, List.of()).with(termination);
        try (ExecutorService runner = Executors.newSingleThreadExecutor()) {
            Future<Integer> code = runner.submit(() -> Main.run(
                    context,
                    new String[] {"status", directory.resolve("archive").toString(), "--serve", "127.0.0.1:0"}));
            Await.until(
                    "it says where", () -> err.toString(StandardCharsets.UTF_8).contains("/\n"));
            String said = err.toString(StandardCharsets.UTF_8);
            String address = said.substring(said.indexOf("http://")).strip();
            Await.until("it is ready", () -> get(address, "readyz").equals("ok\n"));
            assertThat(get(address, "metrics")).contains("chagres_host_alarming{host=\"web1\"");
            assertThat(get(address, "status.json")).contains("\"host\":\"web1\"");
            assertThat(get(address, "")).contains("<title>chagres fleet</title>");
            stop.join().run();
            assertThat(code.get()).isZero();
        }
    }

    @Test
    void theRulesNameMetricsThatExist() throws IOException {
        FleetBoard board = board(10);
        board.looked(List.of(row("a", FleetStatus.State.LIVE, 0)));
        Metrics there = Objects.requireNonNull(board.metrics());
        Set<String> named = new TreeSet<>();
        for (String line :
                Files.readAllLines(Repository.root().resolve("packaging/prometheus/chagres-fleet.rules.yml"))) {
            Matcher each =
                    Pattern.compile("\\bchagres_\\w+").matcher(line.strip().startsWith("expr") ? line : "");
            while (each.find()) {
                named.add(each.group());
            }
        }
        assertThat(named).hasSizeGreaterThan(2);
        assertThat(there.all()).extracting(each -> each.name()).containsAll(named);
    }
}
