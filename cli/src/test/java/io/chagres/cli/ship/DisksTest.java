package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disks below block devices, in a tree that is laid out as sysfs is. */
class DisksTest {
    @TempDir
    Path sys = Path.of("");

    private Disks disks = new Disks(Path.of(""), file -> null);
    private Path links = Path.of("");

    @BeforeEach
    void makeDevices() throws IOException {
        links = Files.createDirectories(sys.resolve("dev/block"));
        disks = new Disks(links, Map.of(Path.of("/images/a b"), "8:2", Path.of("/images/itself"), "7:1")::get);
    }

    private Path device(String number, String path) throws IOException {
        Path device = Files.createDirectories(sys.resolve("devices").resolve(path));
        Files.createSymbolicLink(links.resolve(number), device);
        return device.toRealPath();
    }

    private Path partition(String number, String path) throws IOException {
        Path device = device(number, path);
        Files.writeString(device.resolve("partition"), "1\n");
        return device;
    }

    private static void isMadeOf(Path device, Path... parts) throws IOException {
        Path slaves = Files.createDirectories(device.resolve("slaves"));
        for (Path part : parts) {
            Files.createSymbolicLink(slaves.resolve(part.getFileName()), part);
        }
    }

    @Test
    void partitionsOfADiskLieOnIt() throws IOException {
        Path disk = device("8:0", "pci/sda");
        partition("8:1", "pci/sda/sda1");
        partition("8:2", "pci/sda/sda2");
        isMadeOf(disk);

        assertThat(disks.of("8:1")).isEqualTo(disks.of("8:2")).containsExactly(disk);
        assertThat(disks.of("8:0")).containsExactly(disk);
    }

    @Test
    void aVolumeLiesOnEachDiskThatItIsMadeOf() throws IOException {
        Path first = device("8:0", "pci/sda");
        Path second = device("8:16", "pci/sdb");
        Path md = device("9:0", "virtual/md0");
        isMadeOf(md, partition("8:1", "pci/sda/sda1"), second);
        isMadeOf(device("253:0", "virtual/dm-0"), md);

        assertThat(disks.of("253:0")).isEqualTo(Set.of(first, second));
    }

    @Test
    void aLoopDeviceLiesWhereItsFileDoes() throws IOException {
        Path disk = device("8:0", "pci/sda");
        partition("8:2", "pci/sda/sda2");
        Path loop = device("7:0", "virtual/loop0");
        Files.createDirectories(loop.resolve("loop"));
        Files.writeString(loop.resolve("loop/backing_file"), "/images/a b\n");
        partition("259:0", "virtual/loop0/loop0p1");

        assertThat(disks.of("7:0")).containsExactly(disk);
        assertThat(disks.of("259:0")).containsExactly(disk);
    }

    @Test
    void endsWhereALoopDeviceLiesInItself() throws IOException {
        Path loop = device("7:1", "virtual/loop1");
        Files.createDirectories(loop.resolve("loop"));
        Files.writeString(loop.resolve("loop/backing_file"), "/images/itself\n");

        assertThat(disks.of("7:1")).isEmpty();
    }

    @Test
    void knowsNoneOfANumberThatIsNoBlockDevice() {
        assertThat(disks.of("0:42")).isEmpty();
    }
}
