package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

    /** A subvolume at its limit may share: it holds what it held. */
    @Test
    void quotas() throws IOException {
        Path volume = top.resolve("volume");
        Program.ok("btrfs", "subvolume", "create", volume.toString());
        Program.ok("btrfs", "quota", "enable", disk.directory().toString());
        try {
            Path a = Files.write(volume.resolve("a"), random(36, 1 << 20));
            Path b = file("b", random(36, 1 << 20));
            sync();
            Program.ok("btrfs", "qgroup", "limit", "1200k", volume.toString());
            Run run = run(DedupeOptions.DEFAULT);
            assertThat(run.heard.skipped).isEmpty();
            Places.areShared(a, b);
        } finally {
            Program.ok("btrfs", "quota", "disable", disk.directory().toString());
            Program.ok("btrfs", "subvolume", "delete", volume.toString());
        }
    }

    /** Such files share blocks only with each other, whichever is looked at first. */
    @Test
    void filesWithoutCopyOnWrite() throws IOException {
        byte[] content = random(31, 1 << 20);
        List<Path> plain = new ArrayList<>();
        List<Path> fixed = new ArrayList<>();
        for (String name : List.of("a-fixed", "b", "c", "d", "e-fixed")) {
            Path path = Files.createFile(top.resolve(name));
            boolean isFixed = name.endsWith("fixed");
            if (isFixed) {
                Program.ok("chattr", "+C", path.toString());
            }
            Files.write(path, content);
            (isFixed ? fixed : plain).add(path);
        }
        sync();
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.heard.skipped).singleElement().asString().endsWith(" FAILED EINVAL");
        Places.areShared(plain.toArray(Path[]::new));
        Places.areShared(fixed.toArray(Path[]::new));
        assertThat(run.count(Count.SHARED_FILES)).isEqualTo(3);
    }

    @Test
    void aFileWithoutCopyOnWriteFailsOnceInAllPhases() throws IOException {
        byte[] content = random(34, 1 << 20);
        Arrays.fill(content, 8192, 300_000, (byte) 0);
        Path fixed = Files.createFile(top.resolve("a"));
        Program.ok("chattr", "+C", fixed.toString());
        Files.write(fixed, content);
        Path b = file("b", content);
        Path c = file("c", content);
        content[600_000]++;
        Path d = file("d", content);
        sync();
        DedupeSession.Phases phases = new DedupeSession.Phases(true, 16_384, 16_384);
        SessionRun run = new SessionRun(DedupeOptions.DEFAULT, phases, false, top);
        assertThat(run.failed()).as(run.toString()).containsExactly(SessionRun.inode(fixed) + " EINVAL");
        assertThat(run.count(Count.FAILED)).isEqualTo(1);
        Places.areShared(b, c);
        assertThat(Places.bytesOf(fixed)).as("its zeros are holes, too").isEqualTo(Places.bytesOf(b));
        assertThat(Places.of(d)).as("%s", Places.of(b)).containsAnyElementsOf(Places.of(b));
        assertThat(new SessionRun(DedupeOptions.DEFAULT, phases, false, top).changes())
                .isZero();
    }

    @Test
    void aFileWithoutCopyOnWriteKeepsNoOthersApart() throws IOException {
        Path odd = Files.createFile(top.resolve("a"));
        Program.ok("chattr", "+C", odd.toString());
        Files.write(odd, random(32, 1 << 20));
        Path b = file("b", random(32, 1 << 20));
        Path c = file("c", random(32, 1 << 20));
        sync();
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.heard.skipped).containsExactly("a FAILED EINVAL");
        Places.areShared(b, c);
    }
}
