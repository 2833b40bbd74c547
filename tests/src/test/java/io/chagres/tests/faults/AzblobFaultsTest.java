package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.tests.faults.ObjectStores.Shipped;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An archive in a server of Azure Blob Storage: as in S3, nothing is lost, doubled or torn. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
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

        ObjectStores.readBack(bench, writer);
    }

    /** The server took puts of which nobody heard, broke others off, was busy in between, and away for a while. */
    @Test
    void answersLostConnectionsCutAndErrors(FaultBench bench) throws IOException {
        bench.inAzure();
        FaultProxy proxy = bench.proxied();
        Shipped shipped = ObjectStores.shipThroughFaults(bench, proxy, "%2F");
        proxy.refuse();
        shipped.writer().lines(20);
        shipped.ship().awaitNewStatus("the store refuses", ShipStatusLine::troubled);
        proxy.accept();
        shipped.ship().awaitSettled();
        shipped.writer().lines(10).close();
        shipped.ship().drain();

        bench.restored("--all-versions").exact(shipped.writer()).same(bench.tree());
    }

    @Test
    void containerIsMissing(FaultBench bench) {
        bench.inAzure();
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
