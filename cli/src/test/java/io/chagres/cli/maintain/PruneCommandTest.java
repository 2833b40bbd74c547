package io.chagres.cli.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code prune} of what {@code ship} shipped. */
@Tag("long")
final class PruneCommandTest {
    @TempDir
    Path directory = Path.of("");

    private Path logs = Path.of("");

    @BeforeEach
    void ship() throws IOException {
        logs = Files.createDirectory(directory.resolve("logs"));
        Files.writeString(logs.resolve("a.log"), "a\n".repeat(100_000));
        Files.writeString(logs.resolve("b.log"), "b\n");
        assertThat(run("ship", "--once", "--state", directory + "/state").code())
                .isZero();
    }

    private CommandRun run(String command, String... more) {
        String[] all = new String[more.length + 6];
        System.arraycopy(
                new String[] {command, logs.toString(), "--to", directory + "/archive", "--host", "web1"},
                0,
                all,
                0,
                6);
        System.arraycopy(more, 0, all, 6, more.length);
        return CommandRun.of(all);
    }

    @Test
    void removesAndSaysIt() throws IOException {
        Files.writeString(logs.resolve("b.log"), "b2\n");
        CommandRun only = run("prune", "--older-than", "0s", "--dry-run");
        assertThat(only.out()).contains("would remove " + logs + "/a.log (195.3 KiB)");
        assertThat(only.err()).contains("would remove 1 file", "1 stays", "--no-dry-run");
        assertThat(logs.resolve("a.log")).exists();
        CommandRun done = run("prune", "--older-than", "0s");
        assertThat(done.code()).isZero();
        // an ordinary user cannot see other users' processes, which is no proof that they have nothing open
        assertThat(done.err().contains("of other users only read cannot be seen"))
                .isEqualTo(Files.exists(Path.of("/proc/1/fd")) && !Files.isReadable(Path.of("/proc/1/fd")));
        assertThat(done.out())
                .contains("removed " + logs + "/a.log (195.3 KiB)")
                .contains("stays " + logs + "/b.log: the archive has 2 of its 3 bytes");
        assertThat(logs.resolve("a.log")).doesNotExist();
        assertThat(logs.resolve("b.log")).exists();
        assertThat(CommandRun.of("cat", directory + "/archive", "web1:" + logs + "/a.log")
                        .out())
                .hasSize(200_000);
    }

    @Test
    void removesNothingThatIsYoung() {
        CommandRun run = run("prune", "--older-than", "1d", "--json");
        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("\"result\":\"stays\"").doesNotContain("\"removed\"");
    }

    @Test
    void isQuietAboutWhatItRemoves() {
        CommandRun only = run("prune", "--older-than", "0s", "--dry-run", "--quiet");
        assertThat(only.out()).as("what was asked for is no report").contains("would remove ");
        CommandRun done = run("prune", "--older-than", "0s", "--quiet");
        assertThat(done.code()).isZero();
        assertThat(done.out()).isEmpty();
        assertThat(done.err()).doesNotContain("removed");
        assertThat(logs.resolve("a.log")).doesNotExist();
    }

    @Test
    void provesNothingByAnotherHost() {
        CommandRun run = CommandRun.of(
                "prune", logs.toString(), "--to", directory + "/archive", "--host", "web2", "--older-than", "0s");
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("has no host web2 of this machine");
        assertThat(logs.resolve("a.log")).exists();
    }
}
