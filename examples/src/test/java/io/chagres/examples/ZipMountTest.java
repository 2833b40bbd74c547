package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class ZipMountTest {
    @TempDir
    private Path work;

    private Path zip;
    private Path directory;

    @BeforeEach
    void prepare() throws IOException {
        Requires.root();
        Requires.fuse();
        zip = work.resolve("some.zip");
        directory = Files.createDirectory(work.resolve("mount"));
    }

    @AfterEach
    void detach() {
        if (directory != null) {
            Program.run(List.of("umount", "--lazy", directory.toString()));
        }
    }

    @Test
    void showsWhatIsInside() throws IOException {
        byte[] large = new byte[17 << 20];
        new Random(1).nextBytes(large);
        try (FileSystem made = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            Files.createDirectory(made.getPath("/folder"));
            Files.writeString(made.getPath("/folder/hello"), "Hello, zip!\n");
            Files.write(made.getPath("/large"), large);
        }
        try (ZipMount.Mount mount = ZipMount.mount(zip, directory, false)) {
            assertThat(Program.ok("ls", directory.toString())).isEqualTo("folder\nlarge\n");
            assertThat(Program.ok("cat", directory.resolve("folder/hello").toString()))
                    .isEqualTo("Hello, zip!\n");
            assertThat(Files.readAllBytes(directory.resolve("large"))).isEqualTo(large);
            assertThat(Program.run(List.of("touch", directory.resolve("new").toString()))
                            .err())
                    .contains("Read-only file system");
            assertThat(Program.ok("findmnt", "-rno", "FSTYPE", directory.toString()))
                    .isEqualTo("fuse.zip\n");
            assertThat(mount.server().statistics().failures()).isZero();
        }
    }

    @Test
    void writesOnDemand() throws IOException {
        try (ZipMount.Mount mount = ZipMount.mount(zip, directory, true)) {
            Files.writeString(Files.createDirectory(directory.resolve("folder")).resolve("a"), "a");
            Program.ok(
                    "cp",
                    "-r",
                    directory.resolve("folder").toString(),
                    directory.resolve("copy").toString());
            Files.delete(directory.resolve("folder/a"));
            assertThat(mount.server().statistics().failures()).isZero();
        }
        try (FileSystem written = FileSystems.newFileSystem(zip)) {
            assertThat(Files.readString(written.getPath("/copy/a"))).isEqualTo("a");
            assertThat(Files.exists(written.getPath("/folder/a"))).isFalse();
        }
    }

    /** As at SIGTERM: somebody has a file open whose content is not closed yet. */
    @Test
    void savesWhatIsOpen() throws IOException {
        try (ZipMount.Mount mount = ZipMount.mount(zip, directory, true);
                RandomAccessFile open =
                        new RandomAccessFile(directory.resolve("file").toFile(), "rw")) {
            open.writeBytes("not closed");
            mount.save();
            try (FileSystem written = FileSystems.newFileSystem(zip)) {
                assertThat(Files.readString(written.getPath("/file"))).isEqualTo("not closed");
            }
        }
    }

    @Test
    void isAProgram() throws IOException {
        try (FileSystem made = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            Files.writeString(made.getPath("/hello"), "Hello, zip!\n");
        }
        Path empty = Files.createDirectory(work.resolve("process"));
        List<String> arguments = List.of(ZipMount.class.getName(), zip.toString(), directory.toString());
        try (ServerProcess process = ServerProcess.start(empty, directory, List.of(), arguments)) {
            assertThat(directory.resolve("hello")).hasContent("Hello, zip!\n");
            process.terminate();
            Await.until("it is unmounted", () -> !ServerProcess.isMounted(directory));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void explainsItself() throws Exception {
        PrintStream before = System.out;
        try (OutputStream printed = new ByteArrayOutputStream();
                PrintStream replaced = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setOut(replaced);
            ZipMount.main(new String[] {"--help"});
            assertThat(printed.toString()).contains("--rw", "DIRECTORY");
        } finally {
            System.setOut(before);
        }
    }
}
