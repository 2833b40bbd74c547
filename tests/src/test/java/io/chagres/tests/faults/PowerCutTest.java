package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The power goes at random moments, and of the disk with the archive and the state of the shipper only what was synced
 * is left, by the strictest reading of POSIX (docs/FAULTFS.md). Bytes acknowledged before can be restored, bit for bit,
 * and the shipper continues.
 */
@ExtendWith(FaultBench.Extension.class)
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("e2e")
class PowerCutTest {
    private static final int CUTS = Share.count(40);
    private static final int MOST_MS = 400;

    @ParameterizedTest(name = "archive {0}, state {1}")
    @CsvSource({"true, true", "true, false", "false, true"})
    void whatWasAcknowledgedIsThere(boolean archive, boolean state, FaultBench bench) throws Exception {
        RandomGenerator random = Seeds.random(Seeds.next("power cut"));
        FaultyDirectory disk = bench.faulty("disk", true);
        Path store = (archive ? disk.path() : bench.root()).resolve("archive");
        Path log = bench.file("app.log");
        LineWriter writer = bench.writer("s").open(log).lines(10);
        for (int cut = 0; cut < CUTS; cut++) {
            ShipProcess ship = bench.shipping()
                    .paths(bench.tree())
                    .to(store)
                    .state((state ? disk.path() : bench.root()).resolve("state"))
                    .lag("20ms")
                    .start()
                    .awaitSettled();
            long acknowledged = Files.size(log);
            Future<?> writing = bench.tasks().submit(() -> {
                for (int i = 0; i < 40; i++) {
                    writer.lines(5);
                    Workload.pause(Duration.ofMillis(5));
                }
            });
            Workload.pause(Duration.ofMillis(random.nextInt(MOST_MS)));
            ship.kill();
            disk.powerCut();
            writing.get();
            checkRestored(bench, store, log, acknowledged);
            if (random.nextInt(3) == 0) {
                Workload.rotate(log, cut);
                writer.open(log);
            }
        }
        bench.shipping()
                .paths(bench.tree())
                .to(store)
                .state((state ? disk.path() : bench.root()).resolve("state"))
                .start()
                .awaitSettled()
                .drain();
        disk.powerCut();
        writer.close();
        bench.restored(new Archive(store, bench.root()), "--all-versions")
                .exact(writer)
                .same(bench.tree());
    }

    /** The archive has the beginning of a log, and no less than was acknowledged. */
    private static void checkRestored(FaultBench bench, Path store, Path log, long acknowledged) throws IOException {
        byte[] there = Files.readAllBytes(
                bench.restored(new Archive(store, bench.root())).of(log));
        byte[] written = Files.readAllBytes(log);
        assertThat(there.length).isBetween((int) acknowledged, written.length);
        assertThat(there).isEqualTo(Arrays.copyOf(written, there.length));
    }

    /** Files that nobody synced are gone, so the test above can fail; those that the shipper settled are not. */
    @Test
    void whatNobodySyncedIsGone(FaultBench bench) throws IOException {
        FaultyDirectory disk = bench.faulty("disk", true);
        Path store = disk.path().resolve("archive");
        bench.writer("s").open(bench.file("app.log")).lines(10).close();
        bench.shipping().paths(bench.tree()).to(store).start().awaitSettled().kill();
        Path unsynced = Files.writeString(store.resolve("unsynced"), "text");
        disk.powerCut();
        assertThat(unsynced).doesNotExist();
        new Archive(store, bench.root()).verify();
    }
}
