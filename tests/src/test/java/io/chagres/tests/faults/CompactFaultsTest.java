package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Compaction beside shippers, between them, and killed. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class CompactFaultsTest {
    @Test
    void betweenAndBesideShippers(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        for (int run = 0; run < 3; run++) {
            ShipProcess ship = bench.ship();
            writer.lines(300);
            ship.awaitSettled();
            bench.archive().ok("compact");
            writer.lines(300);
            Workload.rotate(bench.file("app.log"), run);
            writer.lines(30).open(bench.file("app.log")).lines(30);
            ship.drain();
            bench.archive().ok("compact");
            bench.archive().verify();
        }
        writer.close();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** Without Chagres, {@code zstd -dc} of a file's objects gives the file. */
    @Test
    void compactedObjectsAreOrdinaryZstd(FaultBench bench) throws IOException {
        Requires.tool("zstd");
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        ShipProcess ship = bench.ship();
        for (int i = 0; i < 3; i++) {
            writer.lines(300);
            ship.awaitSettled();
        }
        writer.close();
        ship.drain();
        bench.archive().ok("compact");

        Program zstd = Program.run(List.of("sh", "-c", "zstd -dc " + bench.store() + "/hosts/*/streams/*/*.zst"));
        assertThat(zstd.exitCode()).as(zstd.err()).isZero();
        assertThat(zstd.out()).isEqualTo(Files.readAllBytes(bench.file("app.log")));
    }

    /** Expired bytes are not shipped again, and nothing is shipped twice or left out behind them. */
    @Test
    void aShipperGoesOnWhereItWasAfterRetention(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        bench.writer("gone").open(bench.file("gone.log")).lines(10).close();
        for (int run = 0; run < 3; run++) {
            ShipProcess ship = bench.shipProcess();
            for (int i = 0; i < 3; i++) {
                writer.batch(4000);
                ship.awaitSettled();
            }
            Files.deleteIfExists(bench.file("gone.log"));
            ship.awaitSettled().kill();
            if (run == 1) {
                Program.ok("rm", "-r", bench.state().toString());
            }
            bench.archive().ok("compact", "--retain", "1ms", "--grace", "0"); // declares bytes expired
            bench.archive().ok("compact", "--retain", "1ms", "--grace", "0"); // leaves them out
            bench.archive().verify();
        }
        writer.batch(10).close();
        bench.ship().drain();

        bench.archive().verify();
        byte[] file = Files.readAllBytes(bench.file("app.log"));
        byte[] kept = bench.archive().cat("*:app.log");
        assertThat(kept.length).isBetween(1 << 20, file.length - 1);
        assertThat(kept).isEqualTo(Arrays.copyOfRange(file, file.length - kept.length, file.length));
        assertThat(bench.archive().list("*:**", "--versions"))
                .contains("app.log")
                .doesNotContain("gone.log");
        Program restore =
                bench.archive().run("restore", bench.root().resolve("back").toString());
        assertThat(restore.exitCode()).isZero();
        assertThat(restore.err()).contains("were expired by --retain");
    }

    @Test
    void killedAtRandomMoments(FaultBench bench) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("compact killedAtRandomMoments"));
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        for (int kill = 0; kill < 12; kill++) {
            ShipProcess ship = bench.ship();
            Path log = bench.file("app.log");
            writer.lines(200);
            Workload.rotate(log, kill);
            writer.open(log).lines(100);
            ship.drain();
            List<String> compact = new ArrayList<>(Chagres.command());
            compact.addAll(List.of("compact", bench.store().toString()));
            Process process = new ProcessBuilder(compact)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Workload.pause(Duration.ofMillis(random.nextInt(100, 700)));
            process.destroyForcibly().onExit().join();
        }
        writer.close();
        bench.ship().drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
        bench.archive().ok("compact");
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }
}
