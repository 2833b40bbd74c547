package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.FaultProxy.Kind;
import io.chagres.testkit.FaultRule;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An archive in a server of Google Cloud Storage: as in S3, nothing is lost, doubled or torn. */
@ExtendWith(FaultBench.Extension.class)
class GcsFaultsTest {
    @Test
    void killedShipperAndKilledServer(FaultBench bench) throws IOException {
        ObjectServer server = bench.inGcs();
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        for (int round = 0; round < 3; round++) {
            ShipProcess ship = bench.ship("--codec", "none");
            Workload.large(writer);
            Workload.rotate(bench.file("app.log"), round);
            writer.lines(5).open(bench.file("app.log")).lines(50);
            if (round % 2 == 0) {
                server.kill();
                writer.lines(20);
                ship.awaitNewStatus("the store refuses", ShipStatusLine::troubled);
                server.restart();
                ship.awaitSettled();
            }
            ship.kill();
        }
        Program.ok("rm", "-rf", bench.state().toString());
        writer.close();
        bench.ship().drain();

        Archive archive = bench.archive();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
        Path log = bench.file("app.log");
        assertThat(archive.list(FaultBench.HOST + ":/**")).contains(log.toString(), log + ".0", log + ".2");
        assertThat(archive.cat(FaultBench.HOST + ":" + log)).isEqualTo(Files.readAllBytes(log));
        archive.ok("compact");
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** The server took puts of which nobody heard, broke others off, and was busy in between. */
    @Test
    void answersLostConnectionsCutAndErrors(FaultBench bench) throws IOException {
        bench.inGcs();
        FaultProxy proxy = bench.proxied();
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.ship("--codec", "none").awaitSettled();
        List<FaultRule> rules = List.of(
                proxy.on(Kind.PUT).within("/streams/").next(2).cutAfter(300_000),
                proxy.on(Kind.PUT).within("/streams/").next(2).loseResponse(),
                proxy.on(Kind.PUT).within("/log/").next(8).loseResponse(),
                proxy.on(Kind.PUT).within("/log/").next(5).answer(503, "busy"));
        for (int round = 0; round < 3; round++) {
            Workload.large(writer);
            Workload.rotate(bench.file("app.log"), round);
            writer.lines(10).open(bench.file("app.log")).lines(100);
        }
        Await.until("every fault was used", () -> {
            writer.lines(1);
            return rules.stream().allMatch(rule -> rule.applied() > 0);
        });
        proxy.heal();
        ship.awaitSettled();
        writer.lines(10).close();
        ship.drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void bucketIsMissing(FaultBench bench) throws IOException {
        ObjectServer server = bench.inGcs();
        Program.ok("rmdir", server.folder().resolve(FaultBench.BUCKET).toString());
        bench.writer("s").open(bench.file("app.log")).lines(10).close();
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .options("--drain", "1s")
                .start()
                .awaitError("there is no bucket " + FaultBench.BUCKET);

        assertThat(ship.running() ? ship.terminate() : ship.awaitExit()).isIn(1, 3);
    }

    /** What is offered is said, and nothing of a neighbour's. */
    @Test
    void otherSchemesAreRefusedByName(FaultBench bench) {
        Program program = new Archive("oss://bucket/prefix", bench.root(), bench.root(), Chagres.command()).run("ls");
        assertThat(program.exitCode()).isEqualTo(1);
        assertThat(program.err()).contains("no store is known for oss://", "azblob://", "gs://", "s3://");
    }
}
