package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Identity on the file systems whose kernels build it differently. */
@Tag("it")
class FileSystemsTest {
    private static final int FILES = 100;
    private static final int OVL_FILEID_V1 = 0xf8;

    private final Path temp;

    FileSystemsTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @Test
    void tmpfs() throws IOException {
        Requires.root();
        try (Mounted disk = Mounted.tmpfs(temp.resolve("disk"), "size=1m")) {
            filesAreToldApart(disk.directory(), 1);
        }
    }

    @Test
    void ext4() throws IOException {
        onImage("mkfs.ext4", 1);
    }

    @Test
    void xfs() throws IOException {
        onImage("mkfs.xfs", 0x81);
    }

    @Test
    void btrfs() throws IOException {
        onImage("mkfs.btrfs", 0x4d);
    }

    @Test
    void overlay() throws IOException {
        Requires.root();
        try (Mounted layers = Mounted.tmpfs(temp.resolve("layers"), "size=1m")) {
            for (String layer : new String[] {"lower", "upper", "work"}) {
                Files.createDirectory(layers.directory().resolve(layer));
            }
            try (Mounted disk = Mounted.overlay(layers.directory(), temp.resolve("disk"))) {
                filesAreToldApart(disk.directory(), OVL_FILEID_V1);
            }
        }
    }

    private void onImage(String mkfs, int handleType) throws IOException {
        Requires.loopDevices();
        Requires.tool(mkfs);
        Path image = temp.resolve("image");
        Program.ok("truncate", "--size=320M", image.toString());
        Program.ok(mkfs, "-q", image.toString());
        byte[] first;
        try (Mounted disk = Mounted.image(image, temp.resolve("disk"))) {
            first = fileSystemId(disk.directory());
            try (Fd fd = Fd.open(Pathname.of(disk.directory().toString()), Fd.O_RDONLY | Fd.O_DIRECTORY, 0)) {
                assertThat(FileSystemId.nameOf(FileSystemId.typeOf(fd.value())))
                        .isEqualTo(mkfs.substring("mkfs.".length()));
            }
            filesAreToldApart(disk.directory(), handleType);
        }
        try (Mounted elsewhere = Mounted.image(image, temp.resolve("elsewhere"))) {
            assertThat(fileSystemId(elsewhere.directory())).isEqualTo(first).isNotEqualTo(fileSystemId(temp));
        }
    }

    private static byte[] fileSystemId(Path directory) throws IOException {
        try (Fd fd = Fd.open(FdTest.pathname(directory), Fd.O_RDONLY, 0)) {
            return FileSystemId.of(fd.value());
        }
    }

    /** Creates and deletes files of one name: where the inode number returns, the generation must not. */
    private static void filesAreToldApart(Path directory, int handleType) throws IOException {
        Path file = directory.resolve("file");
        Path moved = directory.resolve("moved");
        Map<Long, Set<Long>> generations = new HashMap<>();
        try (Statx stat = new Statx();
                FileHandle handle = new FileHandle()) {
            for (int i = 0; i < FILES; i++) {
                Files.createFile(file);
                long generation = generation(file, stat, handle);
                assertThat(handle.type()).isEqualTo(handleType);
                assertThat(handle.inode()).isIn(stat.ino(), 0L);
                assertThat(generations.computeIfAbsent(stat.ino(), ino -> new HashSet<>()))
                        .doesNotContain(generation);
                generations.get(stat.ino()).add(generation);
                Files.move(file, moved);
                Files.writeString(moved, "grown");
                assertThat(generation(moved, stat, handle)).isEqualTo(generation);
                Files.delete(moved);
            }
        }
    }

    private static long generation(Path file, Statx stat, FileHandle handle) throws IOException {
        try (Fd fd = Fd.open(FdTest.pathname(file), Fd.O_RDONLY, 0)) {
            assertThat(stat.of(fd.value())).isZero();
            assertThat(handle.of(fd.value())).isZero();
            return handle.generation();
        }
    }
}
