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
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HelloFsTest {
    private static final Pattern SHOWN = Pattern.compile("<!-- (\\S+) -->\n```java\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path directory;

    @Test
    void saysHello() throws IOException {
        Requires.root();
        Requires.fuse();
        try (FuseServer server = FuseServer.mount(new HelloFs(), directory, FuseOptions.DEFAULTS)) {
            assertThat(Program.ok("ls", directory.toString())).isEqualTo("hello\n");
            assertThat(Program.ok("cat", directory.resolve("hello").toString())).isEqualTo("Hello, world!\n");
            assertThat(Program.run(List.of("touch", directory.resolve("new").toString()))
                            .err())
                    .contains("Function not implemented");
            assertThat(server.statistics().failures()).isZero();
        }
    }

    @Test
    void isWhatTheGuideShows() throws IOException {
        Path root = Repository.root();
        String guide = Files.readString(root.resolve("docs/FUSE.md"));
        List<String> sources = new ArrayList<>();
        Matcher shown = SHOWN.matcher(guide);
        while (shown.find()) {
            sources.add(shown.group(1));
            assertThat(Files.readAllLines(root.resolve(shown.group(1))))
                    .containsSubsequence(shown.group(2).lines().toList());
        }
        assertThat(sources).hasSize(2);
        assertThat(Files.readAllLines(root.resolve(sources.getFirst()))).hasSizeLessThanOrEqualTo(40);
    }
}
