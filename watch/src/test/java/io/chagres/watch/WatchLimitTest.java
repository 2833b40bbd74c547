package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs a watcher where no inotify watches are left: in a process with a user namespace of its own, so that the limit of
 * the machine is not touched.
 */
@Tag("it")
class WatchLimitTest {
    private static final String LOWER_LIMIT = "echo 0 > /proc/sys/user/max_inotify_watches && exec \"$@\"";

    private final Path top;

    WatchLimitTest(@TempDir Path top) {
        this.top = top;
    }

    @Test
    void directoriesWithoutAWatchArePolled() throws Exception {
        Requires.root();
        Requires.tool("unshare");
        Files.createDirectories(top.resolve("d"));
        Process process = new ProcessBuilder(
                        "unshare",
                        "--user",
                        "--map-root-user",
                        "sh",
                        "-c",
                        LOWER_LIMIT,
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        Repository.classPath() + ":" + Repository.built("test-classes"),
                        WatchLimitTest.class.getName(),
                        top.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).contains("fs.inotify.max_user_watches", "appeared d/f");
    }

    /** Watches without a watch. */
    public static void main(String[] args) throws Exception {
        Path top = Path.of(args[0]);
        try (WatchFixture watch = new WatchFixture(top, "d")) {
            Files.createFile(top.resolve("d/f"));
            watch.hears("appeared d/f");
            System.out.println(watch.heard.problems);
            System.out.println(watch.heard.log);
        }
    }
}
