package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Btrfs. */
class BtrfsDedupeTest extends DedupeContract {
    BtrfsDedupeTest() {
        super("btrfs", "defaults", "mkfs.btrfs", "-q");
    }

    @Test
    void dataWithinTheInode() throws IOException {
        file("a", random(20, 100));
        file("b", random(20, 100));
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.count(Count.INLINE)).isEqualTo(2);
        assertThat(run.count(Count.FAILED)).isZero();
    }

    @Test
    void acrossSubvolumesAndReadOnlySnapshots() throws IOException {
        Path volume = top.resolve("volume");
        Path snapshot = top.resolve("snapshot");
        Program.ok("btrfs", "subvolume", "create", volume.toString());
        Files.write(volume.resolve("a"), random(21, 1 << 20));
        Path b = file("b", random(21, 1 << 20));
        sync();
        Program.ok("btrfs", "subvolume", "snapshot", "-r", volume.toString(), snapshot.toString());
        Run run = run(DedupeOptions.DEFAULT);
        Places.areShared(volume.resolve("a"), snapshot.resolve("a"), b);
        assertThat(run.count(Count.SHARED_FILES)).isEqualTo(1);
        assertThat(run.count(Count.FREED_BYTES)).isEqualTo(1 << 20);
        Program.ok("btrfs", "subvolume", "delete", snapshot.toString());
        Program.ok("btrfs", "subvolume", "delete", volume.toString());
    }

    @Test
    void filesOfReadOnlySnapshotsLetGoOfTheirBlocks() throws IOException {
        Path volume = top.resolve("volume");
        Path snapshot = top.resolve("snapshot");
        Program.ok("btrfs", "subvolume", "create", volume.toString());
        Files.write(volume.resolve("a"), random(23, 1 << 20));
        sync();
        Program.ok("btrfs", "subvolume", "snapshot", "-r", volume.toString(), snapshot.toString());
        Files.delete(volume.resolve("a"));
        Path b = file("b", random(23, 1 << 20));
        Path c = top.resolve("c");
        Program.ok("cp", "--reflink=always", b.toString(), c.toString());
        Run run = run(DedupeOptions.DEFAULT);
        Places.areShared(b, c, snapshot.resolve("a"));
        assertThat(run.count(Count.FREED_BYTES)).isEqualTo(1 << 20);
        Program.ok("btrfs", "subvolume", "delete", snapshot.toString());
        Program.ok("btrfs", "subvolume", "delete", volume.toString());
    }
}
