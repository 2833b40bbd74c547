package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Subvolumes of btrfs: all have one inode number, and a snapshot has those of all files that it was made of. */
@Tag("it")
class SubvolumesTest {
    @TempDir
    Path temp;

    @Test
    void snapshotChangesPlacesWithItsOrigin() throws IOException {
        Requires.root();
        Requires.loopDevices();
        Requires.tool("mkfs.btrfs");
        try (ShippedTree shipped = new ShippedTree(temp)) {
            Path disk = Files.createDirectory(shipped.file("disk"));
            try (Mounted _ = Mounted.newFileSystem(temp.resolve("image"), disk, "mkfs.btrfs", "-q")) {
                Program.ok("btrfs", "-q", "subvolume", "create", disk + "/one");
                Files.writeString(disk.resolve("one/f"), "before\n");
                Program.ok("btrfs", "-q", "subvolume", "snapshot", disk + "/one", disk + "/other");
                Files.writeString(disk.resolve("one/f"), "first\n");
                Files.writeString(disk.resolve("other/f"), "second\n");
                shipped.settle();
                try (Directory from = Directory.open(Pathname.of(disk.toString()))) {
                    from.rename(Pathname.of("one"), from, Pathname.of("other"), Directory.RENAME_EXCHANGE);
                }
                shipped.settle();
                assertThat(archived(shipped, "disk/one/f")).isEqualTo("second\n");
                assertThat(archived(shipped, "disk/other/f")).isEqualTo("first\n");
                shipped.drain();
            }
        }
    }

    private static String archived(ShippedTree shipped, String name) throws IOException {
        return new String(shipped.archived(name), StandardCharsets.UTF_8);
    }
}
