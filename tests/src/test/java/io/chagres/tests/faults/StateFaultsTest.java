package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The identity of this machine, its memory, and what happens when they are wrong. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
@Execution(ExecutionMode.CONCURRENT)
class StateFaultsTest {
    private static void copy(Path from, Path to) {
        Program.ok("cp", "--archive", from.toString(), to.toString());
    }

    private static void remove(Path path) {
        Program.ok("rm", "-rf", path.toString());
    }

    @Test
    void stateLost(FaultBench bench) {
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        for (int run = 0; run < 3; run++) {
            writer.lines(100);
            ShipProcess ship = bench.ship();
            writer.lines(100);
            ship.drain();
            remove(bench.state());
        }
        writer.close();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void stateFromAnOldBackup(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        bench.ship().drain();
        Path backup = bench.root().resolve("backup");
        copy(bench.state(), backup);
        for (int run = 0; run < 2; run++) {
            writer.lines(100);
            Workload.rotate(bench.file("app.log"), run);
            writer.lines(100).open(bench.file("app.log")).lines(100);
            bench.ship().drain();
        }
        remove(bench.state());
        copy(backup, bench.state());
        writer.lines(100).close();
        bench.ship().drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void aSecondShipperWithTheSameState(FaultBench bench) {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess first = bench.shipProcess();
        ShipProcess second = bench.shipping().paths(bench.tree()).start();

        assertThat(second.awaitExit()).isEqualTo(1);
        assertThat(second.errors()).contains("pid " + first.pid());
        writer.lines(100).close();
        first.awaitSettled().drain();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** The second finds the same host in the archive, and whose it is; the first is not disturbed. */
    @Test
    void aSecondShipperWithAnotherState(FaultBench bench) throws IOException {
        Path other = Files.createDirectory(bench.root().resolve("other"));
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess first = bench.shipProcess();
        writer.lines(100);
        first.awaitSettled();
        Shipping again = bench.shipping().paths(other).state(bench.root().resolve("other-state"));
        ShipProcess second = again.start();

        assertThat(second.awaitExit()).isEqualTo(1);
        assertThat(second.errors()).contains("pid " + first.pid(), "--host", "Nothing was shipped");
        writer.lines(100).close();
        first.awaitSettled().kill();
        again.options("--once").start().awaitExit(); // what is dead refuses nobody
        first = bench.shipProcess();
        first.drain();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** Its lock is seen where the directory is now, and it makes another one within 16 s. */
    @Test
    void aDrainWaitsForAShipWhoseStateDirectoryWasMoved(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.shipProcess().awaitSettled();
        Program.ok("mv", bench.state().toString(), bench.root().resolve("moved").toString());
        Files.createSymbolicLink(bench.state(), bench.root().resolve("nowhere"));
        assertThat(bench.askToDrain("--timeout", "1s").exitCode()).isEqualTo(3);

        Files.delete(bench.state());
        writer.lines(100).close();
        assertThat(bench.askToDrain().exitCode()).isZero();
        ship.kill();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** A flush is answered all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"mkfs.ext4 -q -F", "mkfs.xfs -q -f"})
    void aFullStateDirectory(String mkfs, FaultBench bench) throws IOException {
        Requires.loopDevices();
        Path image = bench.root().resolve("image");
        Mounted disk = bench.mounted(Mounted.newFileSystem(image, bench.state(), mkfs.split(" ")));
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.shipProcess();
        Path filler = disk.fill();
        for (int round = 0; round < 2; round++) {
            writer.lines(100);
            Program drain = bench.askToDrain();
            assertThat(drain.exitCode()).as(drain.err() + ship.report()).isZero();
        }
        Files.delete(filler);
        writer.lines(100);
        assertThat(bench.askToDrain().exitCode()).isZero();
        writer.close();
        ship.drain();
        bench.restored().exact(writer).same(bench.tree());
    }

    /** Two copies of one image have equal file-system ids, inodes and generations; only the mounts differ. */
    @Test
    void twoMountedCopiesOfOneImage(FaultBench bench) throws IOException {
        Requires.loopDevices();
        Path image = Mounted.ext4Image(bench.root().resolve("image"));
        LineWriter common = bench.writer("common");
        try (Mounted original = Mounted.image(image, bench.file("a"))) {
            common.open(original.directory().resolve("app.log")).lines(200).close();
            Files.createFile(original.directory().resolve("empty.log"));
        }
        Path copy = bench.root().resolve("copy");
        copy(image, copy);
        bench.mounted(Mounted.image(image, bench.file("a")));
        bench.mounted(Mounted.image(copy, bench.file("b")));
        LineWriter a = bench.writer("a").open(bench.file("a/app.log")).lines(50);
        ShipProcess ship = bench.ship();
        LineWriter b = bench.writer("b").open(bench.file("b/app.log")).lines(70);
        a.lines(50).open(bench.file("a/empty.log")).lines(10);
        ship.awaitSettled();
        b.lines(50).open(bench.file("b/empty.log")).lines(20).close();
        a.lines(30).close();
        ship.drain();

        bench.restored().same(bench.tree(), name -> !name.endsWith("lost+found"));
        a.open(bench.file("a/app.log")).lines(10).close();
        b.open(bench.file("b/app.log")).lines(10).close();
        bench.ship().drain();
        bench.restored().same(bench.tree(), name -> !name.endsWith("lost+found"));
    }

    /** A machine is copied with its state directory and both copies continue, under one host name. */
    @Test
    void aCopiedMachine(FaultBench bench) throws IOException {
        Requires.root();
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        bench.shipping()
                .paths(bench.tree())
                .through(hardware("11111111-1111-1111-1111-111111111111"))
                .start()
                .awaitScanned()
                .drain();
        Path otherState = bench.root().resolve("other-state");
        copy(bench.state(), otherState);
        ShipProcess original = bench.shipping()
                .paths(bench.tree())
                .through(hardware("11111111-1111-1111-1111-111111111111"))
                .start()
                .awaitScanned();
        ShipProcess twin = bench.shipping()
                .paths(bench.tree())
                .state(otherState)
                .through(hardware("22222222-2222-2222-2222-222222222222"))
                .start()
                .awaitScanned();
        writer.lines(100).close();
        original.awaitSettled();
        twin.awaitSettled();
        original.drain();
        twin.drain();

        bench.archive().verify();
        Path all = bench.archive().restore("--all-versions");
        List<Path> hosts = hosts(all);
        assertThat(hosts).hasSize(2);
        for (Path host : hosts) {
            new Restored(host, null).exact(writer).same(bench.tree());
        }
    }

    private static List<Path> hosts(Path restored) throws IOException {
        try (var hosts = Files.list(restored)) {
            return hosts.filter(host -> !host.endsWith(".gone")).sorted().toList();
        }
    }

    /** Runs a program on hardware with another identity: in a mount namespace with a file of our own in its place. */
    private static String[] hardware(String uuid) {
        return new String[] {
            "unshare",
            "--mount",
            "sh",
            "-c",
            "mount -t tmpfs none /sys/class && mkdir -p /sys/class/dmi/id && echo " + uuid
                    + " > /sys/class/dmi/id/product_uuid && exec \"$@\"",
            "sh"
        };
    }

    /** The file system is the same behind another device number, as after a reboot. */
    @Test
    void anotherDeviceNumber(FaultBench bench) throws IOException {
        Requires.loopDevices();
        Path image = Mounted.ext4Image(bench.root().resolve("image"));
        LineWriter writer = bench.writer("s");
        long shipped = 0;
        for (int run = 0; run < 3; run++) {
            Path held = Files.createFile(bench.root().resolve("held" + run));
            try (Mounted tree = Mounted.image(image, bench.file("disk"))) {
                writer.open(tree.directory().resolve("app.log")).lines(100).close();
                Program.ok("truncate", "--size=1M", held.toString());
                ShipProcess ship = bench.ship();
                ship.drain();
                shipped += ship.last().shippedBytes();
                assertThat(shipped).isEqualTo(Files.size(tree.directory().resolve("app.log")));
                if (run == 2) {
                    bench.restored("--all-versions").exact(writer).same(tree.directory(), FileNames::notLostAndFound);
                }
            }
            Program.ok("losetup", "--find", held.toString()); // takes the device just given back
        }
        Program.ok(
                "sh",
                "-c",
                "losetup --list --noheadings --output NAME,BACK-FILE | grep '" + bench.root()
                        + "/held' | cut -d' ' -f1 | xargs losetup --detach");
    }

    /** After an unclean boot nothing is taken on trust: what differs from the archive begins a new version. */
    @Test
    void anUncleanBoot(FaultBench bench) throws IOException {
        Requires.root();
        Path log = bench.file("app.log");
        LineWriter before = bench.writer("before").open(log).batch(40_000); // more than the last megabyte
        LineWriter safe = bench.writer("safe").open(bench.file("safe.log")).batch(500);
        bench.shipProcess().awaitSettled().kill();

        byte[] content = Files.readAllBytes(log);
        content[100] ^= 1;
        Files.write(log, content, java.nio.file.StandardOpenOption.WRITE);
        before.close();
        safe.lines(100).close();
        bench.shipping()
                .paths(bench.tree())
                .through(rebooted())
                .start()
                .awaitScanned()
                .drain();

        Restored restored = bench.restored("--all-versions").same(bench.tree());
        assertThat(restored.gone()).hasSize(1);
    }

    private static String[] rebooted() {
        return new String[] {
            "unshare",
            "--mount",
            "sh",
            "-c",
            "uuid=$(mktemp) && echo 33333333-3333-3333-3333-333333333333 > $uuid"
                    + " && mount --bind $uuid /proc/sys/kernel/random/boot_id && exec \"$@\"",
            "sh"
        };
    }

    /** Names that a file system brings with it. */
    private static final class FileNames {
        static boolean notLostAndFound(String name) {
            return !name.endsWith("lost+found");
        }
    }
}
