package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

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

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class HelloFsTest {
    @TempDir
    private Path directory;

    @Test
    void saysHello() throws IOException {
        Requires.root();
        Requires.fuse();
        try (FuseServer server = FuseServer.mount(new HelloFs().byNodes(), directory, FuseOptions.DEFAULTS)) {
            assertThat(Program.ok("ls", directory.toString())).isEqualTo("hello\n");
            assertThat(Program.ok("cat", directory.resolve("hello").toString())).isEqualTo("Hello, world!\n");
            assertThat(Program.run(List.of("touch", directory.resolve("new").toString()))
                            .err())
                    .contains("Function not implemented");
            assertThat(server.statistics().failures()).isZero();
        }
    }

    @Test
    void isShort() throws IOException {
        Path source = Repository.root().resolve("examples/src/main/java/io/chagres/examples/HelloFs.java");
        assertThat(Files.readAllLines(source)).hasSizeLessThanOrEqualTo(40);
    }
}
