package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class HelloFsTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void saysHello(boolean byNodes) throws IOException {
        Requires.root();
        Requires.fuse();
        FuseFileSystem hello = byNodes ? new HelloNodes() : new HelloFs().byNodes();
        try (FuseServer server = FuseServer.mount(hello, directory, FuseOptions.DEFAULTS)) {
            assertThat(Program.ok("ls", directory.toString())).isEqualTo("hello\n");
            assertThat(Program.ok("cat", directory.resolve("hello").toString())).isEqualTo("Hello, world!\n");
            assertThat(Program.run(List.of("touch", directory.resolve("new").toString()))
                            .err())
                    .contains("Function not implemented");
            assertThat(server.statistics().failures()).isZero();
        }
    }

    /** Nobody says which list is meant where directories are not opened. */
    @Test
    void listsWithoutOpening() throws IOException {
        Requires.root();
        Requires.fuse();
        FuseOptions options = FuseOptions.DEFAULTS.with(FuseFeature.NO_OPENDIR);
        try (FuseServer server = FuseServer.mount(new HelloFs().byNodes(), directory, options)) {
            assertThat(Program.ok("ls", directory.toString())).isEqualTo("hello\n");
            assertThat(Program.ok("ls", directory.toString())).isEqualTo("hello\n");
            assertThat(server.statistics().requests()).containsEntry("opendir", 1L); // and was not implemented
        }
    }

    @Test
    void isShort() throws IOException {
        Path source = Repository.root().resolve("examples/src/main/java/io/chagres/examples/HelloFs.java");
        assertThat(Files.readAllLines(source)).hasSizeLessThanOrEqualTo(40);
    }
}
