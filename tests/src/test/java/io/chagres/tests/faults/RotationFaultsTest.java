package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.LineWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rotation by rename: a file is what it is, under whatever name. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
@Execution(ExecutionMode.CONCURRENT)
class RotationFaultsTest {
    private static final int LINGER_50_MS = 250;

    @ParameterizedTest(name = "every {1} ms, {0} rotations, {2} lines to the old file")
    @CsvSource({"10, 100, 250", "40, 10, 250", "150, 1, 250", "400, 0, 250", "150, 1, 0", "400, 0, 0"})
    void rotatedNamesInsideTheWatchedTree(int rotations, int everyMs, int lingering, FaultBench bench)
            throws IOException {
        ShipProcess ship = bench.ship();
        LineWriter writer = bench.writer("app");

        Workload.writeWhileRotating(
                bench, writer, bench.file("app.log"), rotations, Duration.ofMillis(everyMs), lingering);

        ship.drain();
        assertThat(ship.last().shippedBytes()).isEqualTo(bytes(bench.tree()));
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    @ParameterizedTest(name = "{0} rotations every {1} ms")
    @CsvSource({"10, 100", "40, 10", "100, 2"})
    void rotatedNamesOutsideTheWatchedPattern(int rotations, int everyMs, FaultBench bench) throws IOException {
        Path log = bench.file("app.log");
        Files.createFile(log);
        ShipProcess ship = bench.shipping().paths(log).here().awaitScanned();
        LineWriter writer = bench.writer("app");

        Workload.writeWhileRotating(bench, writer, log, rotations, Duration.ofMillis(everyMs), LINGER_50_MS);

        ship.drain();
        bench.restored("--all-versions").exact(writer);
    }

    @Test
    void rotatedNamesInsideAGlob(FaultBench bench) throws IOException {
        ShipProcess ship = bench.shipping().paths(bench.file("*.log*")).here().awaitScanned();
        LineWriter writer = bench.writer("app");

        Workload.writeWhileRotating(bench, writer, bench.file("app.log"), 40, Duration.ofMillis(10), LINGER_50_MS);

        ship.drain();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** app.log.2 becomes app.log.3, app.log.1 becomes app.log.2, and so on; the oldest is deleted. */
    @Test
    void namesThatShift(FaultBench bench) throws IOException {
        ShipProcess ship = bench.ship();
        LineWriter writer = bench.writer("app");
        Path log = bench.file("app.log");
        for (int rotation = 0; rotation < 4; rotation++) {
            for (int i = 0; i < 3; i++) {
                writer.open(log).lines(50);
                shift(log);
                writer.lines(20);
            }
            ship.awaitSettled();
        }
        writer.open(log).lines(5).close();

        ship.drain();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    private static void shift(Path log) throws IOException {
        Path oldest = log.resolveSibling("app.log.3");
        Files.deleteIfExists(oldest);
        for (int i = 2; i >= 1; i--) {
            Path from = log.resolveSibling("app.log." + i);
            if (Files.exists(from)) {
                Workload.rename(from, log.resolveSibling("app.log." + (i + 1)));
            }
        }
        Workload.rename(log, log.resolveSibling("app.log.1"));
    }

    @ParameterizedTest(name = "killed: {0}")
    @ValueSource(booleans = {false, true})
    void shipperDownDuringRotation(boolean killed, FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("app");
        Path log = bench.file("app.log");
        writer.open(log).lines(500);
        ShipProcess first = bench.shipProcess().awaitSettled();
        writer.lines(300);
        if (killed) {
            first.kill();
        } else {
            first.drain();
        }

        for (int i = 1; i <= 4; i++) {
            writer.lines(100);
            Workload.rotate(log, i);
            writer.lines(100).open(log);
        }
        writer.lines(100).close();

        bench.ship().drain();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void rotatedAndDeletedWhileDown(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("app");
        Path log = bench.file("app.log");
        writer.open(log).lines(500).close();
        bench.ship().drain();

        Files.delete(log);
        writer.open(log).lines(700).close();

        bench.ship().drain();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    private static long bytes(Path tree) {
        return Archive.files(tree, file -> true).stream()
                .mapToLong(file -> file.toFile().length())
                .sum();
    }
}
