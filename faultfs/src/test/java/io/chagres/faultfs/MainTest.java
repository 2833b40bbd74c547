package io.chagres.faultfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path work;

    private int run(String... args) {
        return Main.run(args, new PrintStream(out, true), new PrintStream(err, true));
    }

    private String taken(ByteArrayOutputStream from) {
        String text = from.toString(StandardCharsets.UTF_8);
        from.reset();
        return text;
    }

    @Test
    void helps() {
        assertThat(run("--help")).isZero();
        assertThat(taken(out)).contains("--rule", "power-cut", "Exit codes");
        assertThat(run("rule", "add", "--help")).isZero();
        assertThat(taken(out)).contains("--socket");
    }

    @Test
    void refuses() {
        assertThat(run()).isEqualTo(Main.USAGE);
        assertThat(run("rule")).isEqualTo(Main.USAGE);
        assertThat(run("a", "b", "--rule", "op=read")).isEqualTo(Main.USAGE);
        assertThat(run("rule", "add", "--socket", "s", "error=EWHAT")).isEqualTo(Main.USAGE);
        assertThat(taken(err)).contains("a rule needs error=", "'EWHAT' is the name of no error");
        assertThat(run(work.resolve("none").toString(), work.toString())).isEqualTo(Main.FAILED);
        assertThat(run("rule", "list", "--socket", work.resolve("none").toString()))
                .isEqualTo(Main.FAILED);
        assertThat(taken(err)).contains("nobody takes orders at");
    }

    @Test
    @Tag("it")
    void takesOrders() throws IOException, InterruptedException, ExecutionException {
        Requires.root();
        Requires.fuse();
        Path backing = Files.createDirectory(work.resolve("backing"));
        Path mount = Files.createDirectory(work.resolve("mount"));
        String socket = work.resolve("socket").toString();
        Path file = mount.resolve("file");
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<Integer> served = executor.submit(() -> run(
                    "--power-loss",
                    "--seed=7",
                    "--rule=op=create path=/no* error=EDQUOT",
                    "--socket=" + socket,
                    backing.toString(),
                    mount.toString()));
            Await.until(
                    "it is mounted", () -> out.toString(StandardCharsets.UTF_8).contains("(seed 7)"));
            out.reset();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> Files.createFile(mount.resolve("none")))
                    .withMessageContaining("quota");
            Files.writeString(file, "0123456789");
            assertThat(run("rule", "add", "--socket", socket, "op=write", "bytes=3", "times=2"))
                    .isZero();
            assertThat(taken(out)).isEqualTo("{\"id\":2}\n");
            Program.ok("dd", "if=/dev/zero", "of=" + file, "bs=8", "count=1", "conv=notrunc", "status=none");
            assertThat(run("rule", "list", "--socket", socket)).isZero();
            assertThat(taken(out))
                    .isEqualTo("[{\"id\":1,\"rule\":\"op=create path=/no* error=EDQUOT\",\"met\":1},"
                            + "{\"id\":2,\"rule\":\"op=write bytes=3 times=2\",\"met\":2}]\n");
            assertThat(run("power-cut", "--socket", socket)).isZero();
            assertThat(mount).isEmptyDirectory();
            Files.writeString(file, "kept");
            assertThat(run("rule", "remove", "1", "--socket", socket)).isZero();
            assertThat(run("rule", "remove", "1", "--socket", socket)).isEqualTo(Main.FAILED);
            assertThat(taken(err)).contains("there is no rule 1");
            Files.createFile(mount.resolve("none"));
            assertThat(run("rule", "clear", "--socket", socket)).isZero();
            Program.ok("umount", mount.toString());
            assertThat(served.get()).isZero();
        }
        assertThat(backing.resolve("file")).hasContent("kept");
        assertThat(work.toFile().list()).containsExactlyInAnyOrder("backing", "mount");
    }
}
