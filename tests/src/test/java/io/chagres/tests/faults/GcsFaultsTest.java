package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Program;
import io.chagres.tests.faults.ObjectStores.Shipped;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An archive in a server of Google Cloud Storage: as in S3, nothing is lost, doubled or torn. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
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

        ObjectStores.readBack(bench, writer);
    }

    /** The server took puts of which nobody heard, broke others off, and was busy in between. */
    @Test
    void answersLostConnectionsCutAndErrors(FaultBench bench) throws IOException {
        bench.inGcs();
        FaultProxy proxy = bench.proxied();
        Shipped shipped = ObjectStores.shipThroughFaults(bench, proxy, "/");
        shipped.writer().lines(10).close();
        shipped.ship().drain();

        bench.restored("--all-versions").exact(shipped.writer()).same(bench.tree());
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
