package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An archive that is full, closed, slow or stuck: nothing is lost while the files stay. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class StoreFaultsTest {
    private static final long BALLAST = 3500 * 1024;

    private static Path ballast(Mounted mounted) throws IOException {
        return Files.write(mounted.directory().resolve("ballast"), new byte[(int) BALLAST]);
    }

    private static Archive archive(FaultBench bench, Path store) {
        return new Archive(store, bench.root());
    }

    @Test
    void diskOfTheArchiveFullThenFreed(FaultBench bench) throws IOException {
        Requires.root();
        Mounted small = bench.tmpfs("small", "size=4m");
        Path store = small.directory().resolve("archive");
        Path ballast = ballast(small);
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(10);
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).to(store).start().awaitScanned();
        for (int i = 0; i < 60; i++) {
            writer.batch(200);
        }
        ship.awaitStatus("the archive is full", ShipStatusLine::troubled);
        assertThat(ship.last().riskBytes()).isPositive();
        Await.until("it is called full", () -> new String(
                        Chagres.run(List.of("status", "--json")).out())
                .contains("\"pid\":" + ship.pid() + ",\"state\":\"full\",\"alarming\":true"));
        writer.lines(100);
        Workload.rotate(bench.file("app.log"), 1);
        writer.lines(100).open(bench.file("app.log")).lines(100).close();
        Files.delete(ballast);
        ship.awaitSettled().drain();

        bench.restored(archive(bench, store), "--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void stoppedWhileTheArchiveIsFull(FaultBench bench) throws IOException {
        Requires.root();
        Mounted small = bench.tmpfs("small", "size=4m");
        Path store = small.directory().resolve("archive");
        Path ballast = ballast(small);
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        for (int i = 0; i < 60; i++) {
            writer.batch(200);
        }
        writer.close();
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .to(store)
                .options("--drain", "1s")
                .here();
        ship.awaitStatus("the archive is full", ShipStatusLine::troubled);
        assertThat(ship.terminate()).isEqualTo(3);
        assertThat(ship.errors()).contains("at risk", "No space left on device");
        Files.delete(ballast);
        bench.shipping().paths(bench.tree()).to(store).here().awaitScanned().drain();

        bench.restored(archive(bench, store), "--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void diskOfTheStateFull(FaultBench bench) throws IOException {
        Requires.root();
        Mounted full = bench.tmpfs("full", "size=16k");
        Files.write(full.directory().resolve("ballast"), new byte[12 * 1024]);
        Program.run(List.of("sh", "-c", "cat /dev/zero > " + full.directory().resolve("more")));
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        Path state = full.directory().resolve("state");
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).state(state).start().awaitScanned();
        writer.lines(100);
        ship.awaitSettled().kill();
        writer.lines(100).close();
        bench.shipping().paths(bench.tree()).state(state).start().awaitScanned().drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** An operator's slip, or a lifecycle rule: a log without its begin nobody reads. */
    @Test
    void anArchiveThatIsEmptiedWhileItIsShippedTo(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.ship("--heartbeat", "1s").awaitSettled();
        Program.ok("sh", "-c", "rm -rf " + bench.store() + "/*");
        ship.awaitError("is no longer in the archive");
        writer.lines(10);
        ship.awaitSettled().drain();

        // a heartbeat may have come between; it names commits that are gone, and readers miss them
        bench.restoredAsItIs(bench.archive()).exact(writer).same(bench.tree());
    }

    @Test
    void readOnlyArchiveThenWritable(FaultBench bench) throws IOException {
        Requires.root();
        Mounted mounted = bench.tmpfs("mounted", "size=40m");
        Path store = mounted.directory().resolve("archive");
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.shipping().paths(bench.tree()).to(store).here().awaitSettled();
        mounted.remount("ro");
        writer.lines(100);
        ship.awaitStatus("the archive is read-only", ShipStatusLine::troubled);
        assertThat(ship.last().json()).contains("Read-only file system");
        writer.lines(100).close();
        mounted.remount("rw");
        ship.awaitSettled().drain();

        bench.restored(archive(bench, store), "--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void archiveThatCannotBeOpened(FaultBench bench) throws IOException {
        Path file = Files.writeString(bench.root().resolve("file"), "not a directory");
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).to(file.resolve("archive")).here();

        assertThat(ship.awaitExit()).isEqualTo(1);
        assertThat(ship.errors()).contains(file.toString()).contains("Not a directory");
    }

    /** Each link(2), which is what makes an object visible, takes a fifth of a second. */
    @Test
    void slowArchive(FaultBench bench) throws IOException {
        Requires.tool("strace");
        LineWriter writer = bench.writer("s");
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .through(InjectedErrorsTest.strace(bench, "linkat", "delay_enter=200000"))
                .start()
                .awaitScanned();
        Workload.writeWhileRotating(bench, writer, bench.file("app.log"), 20, java.time.Duration.ofMillis(50), 100);
        ship.drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** Every write to the archive blocks, in the kernel, until it is let go. */
    @Test
    void stuckArchive(FaultBench bench) throws IOException {
        Requires.loopDevices();
        Requires.tool("fsfreeze");
        Mounted mounted = bench.mounted(Mounted.image(
                Mounted.ext4Image(bench.root().resolve("image")), bench.root().resolve("mounted")));
        Path store = mounted.directory().resolve("archive");
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).to(store).start().awaitSettled();
        mounted.freeze();
        writer.lines(500);
        Workload.rotate(bench.file("app.log"), 1);
        writer.lines(100).open(bench.file("app.log")).lines(500);
        ship.awaitNewStatus("bytes are at risk", status -> status.riskBytes() > 0);
        writer.truncate(0).lines(10);
        mounted.thaw();
        ship.awaitSettled();
        writer.lines(10).close();
        ship.drain();

        bench.restored(archive(bench, store)).same(bench.tree());
    }
}
