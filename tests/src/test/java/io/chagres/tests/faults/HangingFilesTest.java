package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.faultfs.FileFault;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A file system in the tree does not answer, as when the server of a network mount is gone. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class HangingFilesTest {
    private static final int AT_RISK = 3;
    private static final long PRUNE_SECONDS = 120;

    @Test
    void isNamedAndKeepsNobodyFromStopping(FaultBench bench) throws IOException {
        FaultyDirectory hung = bench.faulty("tree/hung");
        LineWriter there =
                bench.writer("there").open(hung.path().resolve("there.log")).batch(10);
        LineWriter beside =
                bench.writer("beside").open(bench.file("beside.log")).batch(10);
        ShipProcess stops = bench.shipping()
                .paths(bench.tree())
                .to(bench.root().resolve("other"))
                .state(bench.root().resolve("other-state"))
                .options("--drain", "1s")
                .start()
                .awaitSettled();
        ShipProcess stays = bench.shipProcess().awaitSettled();
        FileFault silence = hung.faults()
                .on("read", "getattr", "lookup", "open", "opendir", "readdir", "statfs")
                .delay(Duration.ofHours(1));
        beside.batch(10);
        stops.awaitError("has hung in a call");
        stops.signal("TERM");
        stops.awaitError("stopped with bytes at risk, how many is unknown");
        assertThat(stops.errors()).contains("no answer from " + hung.path() + " (fuse");
        stays.awaitError("has hung in a call");
        silence.remove();
        assertThat(stops.awaitExit()).isEqualTo(AT_RISK); // the kernel keeps what waits for an answer of FUSE
        stays.awaitError("works again").awaitSettled().drain();
        there.close();
        beside.close();
        bench.restored().exact(there, beside);
    }

    /** Other processes have open what they like. */
    @Test
    void keepsNobodyFromPruning(FaultBench bench) throws IOException {
        FaultyDirectory hung = bench.faulty("hung");
        Files.writeString(hung.path().resolve("held"), "held");
        bench.writer("old").open(bench.file("old.log")).batch(10).close();
        bench.shipProcess().awaitSettled().drain();
        Process holder = new ProcessBuilder(
                        "sh", "-c", "exec 9<\"$1\"; echo; exec sleep 1000", "sh", hung.path() + "/held")
                .start();
        try {
            holder.inputReader().readLine(); // it has it open
            hung.faults().on("read", "getattr", "lookup", "open", "statfs").delay(Duration.ofHours(1));
            List<String> command = Chagres.command();
            command.addAll(List.of(
                    "prune",
                    bench.tree().toString(),
                    "--older-than=0s",
                    "--no-dry-run",
                    "--to=" + bench.address(),
                    "--host=" + FaultBench.HOST));
            Program prune = Program.run(command, PRUNE_SECONDS);
            assertThat(prune.exitCode()).as(prune.err()).isZero();
            assertThat(bench.file("old.log")).doesNotExist();
        } finally {
            holder.destroyForcibly();
        }
    }
}
