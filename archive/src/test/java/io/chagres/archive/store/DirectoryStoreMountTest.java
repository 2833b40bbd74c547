package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a directory on file systems that are full, read-only, or without hard links. Needs the superuser. */
@Tag("it")
class DirectoryStoreMountTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private Path mounted = Path.of("");

    @BeforeEach
    void makeMountPoint() throws IOException {
        Requires.root();
        mounted = Files.createDirectory(directory.resolve("mounted"));
    }

    @AfterEach
    void unmount() throws Exception {
        run(false, "umount", mounted.toString());
    }

    private static void run(boolean required, String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        int code = process.waitFor();
        if (required) {
            assertThat(code).as(List.of(command) + ": " + output).isZero();
        }
    }

    private void mountMemory(String options) throws Exception {
        run(true, "mount", "-t", "tmpfs", "-o", options, "tmpfs", mounted.toString());
    }

    private DirectoryStore open() throws IOException {
        return DirectoryStore.open(Pathname.of(mounted.toString()), true);
    }

    private Path fill() throws IOException {
        Path filler = mounted.resolve("filler");
        assertThatThrownBy(() -> Files.write(filler, new byte[4 << 20])).isInstanceOf(IOException.class);
        return filler;
    }

    @Test
    void saysThatTheDiskIsFullAndGoesOnWhenItIsNot() throws Exception {
        mountMemory("size=1m");
        try (DirectoryStore store = open();
                Arena arena = Arena.ofConfined()) {
            MemorySegment content = arena.allocate(200_000);
            assertThat(store.putIfAbsent("a/1", content)).isTrue();
            Path filler = fill();
            assertThatThrownBy(() -> store.putIfAbsent("a/2", content))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("full")
                    .hasMessageContaining("a/2");
            assertThat(store.size("a/2")).isEqualTo(-1);
            Files.delete(filler);
            assertThat(store.putIfAbsent("a/2", content)).isTrue();
            assertThat(store.size("a/2")).isEqualTo(200_000);
        }
    }

    @Test
    void failsACopyOnAFullDisk() throws Exception {
        mountMemory("size=1m");
        Path source = Files.write(directory.resolve("source"), new byte[3 << 20]);
        try (DirectoryStore store = open();
                Fd fd = Fd.open(Pathname.of(source.toString()), Fd.O_RDONLY, 0);
                BlobWriter writer = store.create("a/copy")) {
            assertThatThrownBy(() -> writer.copyFrom(fd, 0, 3 << 20))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("full");
            assertThatThrownBy(writer::commit).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void opensOnAFullDisk() throws Exception {
        mountMemory("size=1m");
        fill();
        open().close();
    }

    @Test
    void leavesNothingBehindOnAFullDisk() throws Exception {
        mountMemory("size=1m");
        try (DirectoryStore store = DirectoryStore.open(Pathname.of(mounted.toString()), true, true);
                Arena arena = Arena.ofConfined()) {
            Path filler = fill();
            assertThatThrownBy(() -> store.putIfAbsent("a/1", arena.allocate(200_000)))
                    .isInstanceOf(StoreException.class);
            Files.delete(filler);
            try (Stream<Path> left = Files.walk(mounted).filter(Files::isRegularFile)) {
                assertThat(left).isEmpty();
            }
        }
    }

    @Test
    void saysThatTheFileSystemIsReadOnly() throws Exception {
        mountMemory("size=1m");
        open().close();
        run(true, "mount", "-o", "remount,ro", mounted.toString());
        assertThatThrownBy(this::open).isInstanceOf(StoreException.class).hasMessageContaining("read-only");
        DirectoryStore.open(Pathname.of(mounted.toString()), false).close();
    }

    @Test
    void refusesAFileSystemWithoutHardLinks() throws Exception {
        Requires.loopDevices();
        Requires.kernelFileSystem("vfat");
        Requires.tool("mkfs.vfat");
        Path image = directory.resolve("image");
        run(true, "truncate", "-s", "16M", image.toString());
        run(true, "mkfs.vfat", image.toString());
        run(true, "mount", "-o", "loop", image.toString(), mounted.toString());
        assertThatThrownBy(this::open).isInstanceOf(StoreException.class).hasMessageContaining("no hard links");
    }
}
