package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.FaultProxy.Kind;
import io.chagres.testkit.FaultRule;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An archive in a server of Azure Blob Storage: as in S3, nothing is lost, doubled or torn. */
@ExtendWith(FaultBench.Extension.class)
class AzblobFaultsTest {
    @Test
    void killedShipper(FaultBench bench) throws IOException {
        bench.inAzure();
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        for (int round = 0; round < 3; round++) {
            ShipProcess ship = bench.ship("--codec", "none");
            Workload.large(writer);
            Workload.rotate(bench.file("app.log"), round);
            writer.lines(5).open(bench.file("app.log")).lines(50);
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

    /** The server took puts of which nobody heard, broke others off, was busy in between, and away for a while. */
    @Test
    void answersLostConnectionsCutAndErrors(FaultBench bench) throws IOException {
        bench.inAzure();
        FaultProxy proxy = bench.proxied();
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.ship("--codec", "none").awaitSettled();
        List<FaultRule> rules = List.of(
                proxy.on(Kind.PUT).within("%2Fstreams%2F").next(2).cutAfter(300_000),
                proxy.on(Kind.PUT).within("%2Fstreams%2F").next(2).loseResponse(),
                proxy.on(Kind.PUT).within("%2Flog%2F").next(8).loseResponse(),
                proxy.on(Kind.PUT).within("%2Flog%2F").next(5).answer(503, "busy"));
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
        proxy.refuse();
        writer.lines(20);
        ship.awaitNewStatus("the store refuses", ShipStatusLine::troubled);
        proxy.accept();
        ship.awaitSettled();
        writer.lines(10).close();
        ship.drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void containerIsMissing(FaultBench bench) {
        bench.inAzure();
        bench.writer("s").open(bench.file("app.log")).lines(10).close();
        Program ls = bench.archive().run("ls");
        assertThat(ls.err()).contains("holds no host yet");
        Program missing = new Archive(
                        bench.address().replace("://" + FaultBench.BUCKET, "://nocontainer"),
                        bench.root(),
                        bench.root(),
                        bench.archive().program())
                .run("ls");

        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("there is no container nocontainer");
    }
}
