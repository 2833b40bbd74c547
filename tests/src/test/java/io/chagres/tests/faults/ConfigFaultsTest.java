package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.testkit.ScriptedServer;
import io.chagres.testkit.ScriptedServer.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A configuration that changes while ship runs, and a machine that learns that it will vanish. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class ConfigFaultsTest {
    private static final Answer NOTHING = new Answer(404, Map.of(), "");
    private static final Answer TERMINATE =
            new Answer(200, Map.of(), "{\"action\": \"terminate\", \"time\": \"2026-11-22T08:22:00Z\"}");

    private static String source(Path... paths) {
        StringBuilder text = new StringBuilder();
        for (Path each : paths) {
            text.append("[[source]]\npaths = [\"").append(each).append("\"]\n");
        }
        return text.toString();
    }

    private static void writeAndRotate(LineWriter writer, Path directory, AtomicBoolean stop) {
        Path log = directory.resolve("app.log");
        for (int i = 0; !stop.get(); i++) {
            writer.open(log).lines(500);
            try {
                Files.move(log, directory.resolve("app.log." + i));
                Workload.pause(Duration.ofMillis(10)); // a scan ends only if it is faster than the new names
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        writer.open(log).lines(1);
    }

    private static void awaitErrors(ShipProcess ship, String part, int count) {
        Await.until(
                part + " " + count + " times",
                () -> ship.errors().lines().filter(line -> line.contains(part)).count() == count);
    }

    @Test
    void reloadsUnderAppendsAndRotationsLoseNothing(FaultBench bench) throws Exception {
        Path a = Files.createDirectory(bench.file("a"));
        Path b = Files.createDirectory(bench.file("b"));
        LineWriter old = bench.writer("old");
        old.open(b.resolve("old.log")).lines(3);
        Path config = bench.root().resolve("chagres.toml");
        Files.writeString(config, source(a));
        ShipProcess ship =
                bench.shipping().options("--config", config.toString()).start().awaitScanned();

        AtomicBoolean stop = new AtomicBoolean();
        LineWriter writer = bench.writer("app");
        Future<?> busy = bench.tasks().submit(() -> writeAndRotate(writer, a, stop));
        for (int i = 0; i < 3; i++) {
            Files.writeString(config, i % 2 == 0 ? source(a, b) : source(a));
            ship.signal("HUP");
            awaitErrors(ship, "is in force: ", i + 1);
            Files.writeString(config, "max-lg = 1\n");
            ship.signal("HUP");
            awaitErrors(ship, "chagres.toml:1:1: unknown key 'max-lg'; did you mean 'max-lag'?", i + 1);
        }
        List<String> reload = List.of("reload", "--state", bench.state().toString());
        Program refused = Chagres.run(reload);
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("refused, continuing with the configuration before", "unknown key 'max-lg'");
        Files.writeString(config, source(a, b));
        Program taken = Chagres.run(reload);
        assertThat(taken.exitCode()).as(taken.err()).isZero();
        stop.set(true);
        busy.get();
        old.lines(3);
        ship.drain();
        assertThat(ship.errors()).contains("continuing with the one before");
        bench.restored().exact(writer, old).same(bench.tree());
    }

    @Test
    void aReloadWithoutAConfigurationEndsNothing(FaultBench bench) throws IOException {
        Path log = bench.file("app.log");
        Files.writeString(log, "first\n");
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .environment("NOTIFY_SOCKET", bench.root().resolve("nobody").toString())
                .start()
                .awaitSettled();
        ship.signal("HUP");
        ship.awaitError("nothing to read again: there is no configuration");
        Files.writeString(log, "goes on\n", StandardOpenOption.APPEND);
        ship.drain();
        bench.restored().same(bench.tree());
    }

    @Test
    void fromTheNoticeOnEveryByteIsCommittedAtOnce(FaultBench bench) throws IOException {
        Path log = bench.file("app.log");
        Files.writeString(log, "first\n");
        try (ScriptedServer metadata = new ScriptedServer(NOTHING)) {
            metadata.answer("/latest/api/token", new Answer(200, Map.of(), "the-token"));
            ShipProcess ship = bench.shipping()
                    .paths(bench.tree())
                    .lag("1h")
                    .options("--notice", "aws")
                    .environment("CHAGRES_NOTICE_ENDPOINT", metadata.endpoint().toString())
                    .start()
                    .awaitSettled();
            Files.writeString(log, "waits\n", StandardOpenOption.APPEND);
            ship.awaitNewStatus("a byte waits for its lag", status -> status.riskBytes() == 6);
            metadata.answer("/latest/meta-data/spot/instance-action", TERMINATE);
            ship.awaitError("notice of aws: the spot instance will terminate at 2026-11-22T08:22:00Z");
            ship.awaitSettled();
            for (int i = 0; i < 3; i++) {
                Files.writeString(log, "last words\n", StandardOpenOption.APPEND);
                ship.awaitSettled();
            }
            assertThat(new String(bench.archive().run("status").out(), StandardCharsets.UTF_8))
                    .contains("notice of aws");
            ship.kill();
            assertThat(ship.errors()).doesNotContain("the-token");
            bench.restored().same(bench.tree());
        }
    }
}
