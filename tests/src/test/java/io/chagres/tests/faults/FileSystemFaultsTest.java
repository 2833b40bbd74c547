package io.chagres.tests.faults;

import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same hard life of some logs on file systems whose identities differ in kind. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class FileSystemFaultsTest {
    @Test
    void onTmpfs(FaultBench bench) throws IOException {
        Requires.root();
        bench.tmpfs("tree/disk", "size=64m");
        hardLife(bench);
    }

    /** Inodes of 128 bytes have no birth time. */
    @Test
    void onOldExt4(FaultBench bench) throws IOException {
        Requires.loopDevices();
        Path image = Mounted.ext4Image(bench.root().resolve("image"));
        Program.ok("mkfs.ext4", "-q", "-F", "-I", "128", image.toString());
        bench.mounted(Mounted.image(image, bench.file("disk")));
        hardLife(bench);
    }

    @Test
    void onXfs(FaultBench bench) throws IOException {
        onImage(bench, "mkfs.xfs", "-q");
    }

    @Test
    void onBtrfs(FaultBench bench) throws IOException {
        onImage(bench, "mkfs.btrfs", "-q");
    }

    private static void onImage(FaultBench bench, String... mkfs) throws IOException {
        Requires.loopDevices();
        Requires.tool(mkfs[0]);
        bench.mounted(Mounted.newFileSystem(bench.root().resolve("image"), bench.file("disk"), mkfs));
        hardLife(bench);
    }

    /** As inside a container: files of the lower layer are copied up when they are first written. */
    @Test
    void onOverlay(FaultBench bench) throws IOException {
        Requires.root();
        for (String layer : List.of("lower", "upper", "work")) {
            Files.createDirectory(bench.root().resolve(layer));
        }
        bench.writer("image").open(bench.root().resolve("lower/below.log")).close();
        bench.mounted(Mounted.overlay(bench.root(), bench.file("disk")));
        hardLife(bench);
    }

    /**
     * Rotation, replacement, truncation, restarts, kill -9 and a lost state, with a shipper that watches or is down.
     */
    private static void hardLife(FaultBench bench) throws IOException {
        Path disk = bench.file("disk");
        LineWriter log = bench.writer("log");
        LineWriter below = bench.writer("below").open(disk.resolve("below.log"));
        LineWriter again = bench.writer("again").open(disk.resolve("again.log")).batch(20);
        ShipProcess ship = bench.shipProcess();
        for (int day = 0; day < 3; day++) {
            Workload.writeWhileRotating(bench, log, disk.resolve("day" + day + ".log"), 10, Duration.ofMillis(5), 20);
            Files.createDirectories(disk.resolve("moved" + day));
            Workload.rename(disk.resolve("day" + day + ".log.3"), disk.resolve("moved" + day + "/old"));
            below.lines(10);
            ship.awaitSettled();
            again.truncate(0).batch(20 + 10 * day);
            ship.awaitSettled();
            if (day == 1) {
                ship.kill();
                Program.ok("rm", "-r", bench.state().toString());
            } else {
                ship.drain();
            }
            Files.delete(disk.resolve("again.log"));
            again.open(disk.resolve("again.log")).batch(15);
            Workload.rotate(disk.resolve("day" + day + ".log"), "down");
            below.lines(10);
            ship = bench.shipProcess();
        }
        below.close();
        again.close();
        ship.drain();

        bench.restored("--all-versions").exact(log, again, below).same(disk, name -> !name.endsWith("lost+found"));
    }
}
