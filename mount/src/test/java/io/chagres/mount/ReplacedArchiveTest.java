package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another archive lies where one was mounted. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class ReplacedArchiveTest {
    /** What becomes of the archive that was mounted. */
    enum Way {
        MOVED("mv archive before"),
        REMOVED("rm -r archive"),
        EMPTIED("rm -r archive/*");

        private final String command;

        Way(String command) {
            this.command = command;
        }
    }

    @TempDir
    private Path directory;

    private Path archive;
    private Path place;

    @BeforeEach
    void make() {
        Requires.root();
        Requires.fuse();
        archive = directory.resolve("archive");
        place = directory.resolve("mount");
        write("web1", "/old", "old");
    }

    @AfterEach
    void end() {
        if (place != null) { // not when it was skipped
            Program.run(List.of("umount", "--lazy", place.toString()));
        }
    }

    private void write(String host, String file, String content) {
        begun(host, file, content).close();
    }

    private SmallArchive begun(String host, String file, String content) {
        SmallArchive writer = new SmallArchive(archive, host);
        writer.append(writer.file("/shared"), content);
        return writer.append(writer.file(file), content).commit(1);
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theOtherOneIsShownAndSaid(Way way) throws IOException {
        write("web2", "/b", "b");
        try (MountFixture mounted = new MountFixture(archive, place, MountOptions.DEFAULTS)) {
            Path host = mounted.host("web1");
            assertThat(Files.readString(host.resolve("shared"))).isEqualTo("old");
            assertThat(names(place)).containsExactly(".gone", "web1", "web2");
            try (FileChannel open = FileChannel.open(host.resolve("old"))) {
                Program.ok("sh", "-c", "cd " + directory + " && " + way.command);
                mounted.mount.refresh();
                mounted.mount.refresh();
                assertThat(mounted.messages).singleElement().asString().contains("is no longer there");
                write("web3", "/c", "c");
                try (SmallArchive again = begun("web1", "/new", "new content")) {
                    mounted.mount.refresh();
                    assertThat(names(place)).containsExactly(".gone", "web1", "web3");
                    assertThat(names(host)).containsExactly("new", "shared");
                    assertThat(Files.readString(host.resolve("shared"))).isEqualTo("new content");
                    assertThat(mounted.messages)
                            .hasSize(2)
                            .last()
                            .asString()
                            .contains("another archive lies there now");
                    if (way == Way.MOVED) {
                        ByteBuffer bytes = ByteBuffer.allocate(10);
                        assertThat(open.read(bytes)).isEqualTo(3);
                        assertThat(new String(bytes.array(), 0, 3)).isEqualTo("old");
                    }
                    assertThat(host.resolve("later")).doesNotExist();
                    again.append(again.file("/later"), "later").commit(2);
                    mounted.mount.refresh();
                    assertThat(Files.readString(host.resolve("later"))).isEqualTo("later");
                    assertThat(mounted.messages).hasSize(2);
                }
            }
        }
    }

    @Test
    void anArchiveThatBeginsIsNoOtherOne() throws IOException {
        Program.ok("sh", "-c", "cd " + directory + " && rm -r archive && mkdir archive");
        try (MountFixture mounted = new MountFixture(archive, place, MountOptions.DEFAULTS)) {
            assertThat(names(place)).containsExactly(".gone");
            write("web1", "/new", "new");
            for (int i = 0; i < 10; i++) {
                mounted.mount.refresh();
            }
            assertThat(names(place)).containsExactly(".gone", "web1");
            assertThat(mounted.messages).isEmpty();
        }
    }
}
