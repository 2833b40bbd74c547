package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cron job that is told to be quiet has something to mail only when something is wrong. */
class QuietTest {
    @TempDir
    Path directory = Path.of("");

    private String archive = "";

    @BeforeEach
    void fill() throws IOException {
        archive = directory.resolve("archive").toString();
        try (SmallArchive writer = new SmallArchive(Path.of(archive), "web1")) {
            writer.append(writer.file("/var/log/app.log"), "line\n").commit(1);
        }
    }

    private List<List<String>> commands(String target) {
        return List.of(
                List.of("restore", archive, directory.resolve(target).toString(), "web1:"),
                List.of("verify", archive),
                List.of("repair", archive),
                List.of("compact", archive),
                List.of("status", archive));
    }

    private static CommandRun run(List<String> command, String... more) {
        return CommandRun.of(Stream.concat(command.stream(), Stream.of(more)).toArray(String[]::new));
    }

    @Test
    void saysNothingWhenNothingIsWrong() {
        for (List<String> command : commands("quiet")) {
            CommandRun quiet = run(command, "--quiet");
            assertThat(quiet.code()).as(command + quiet.err()).isZero();
            assertThat(quiet.out() + quiet.err()).as(command.toString()).isEmpty();
        }
        for (List<String> command : commands("loud")) {
            assertThat(run(command).out()).as(command.toString()).isNotEmpty();
        }
    }

    @Test
    void aConfigurationIsNamedIfItIsBad() throws IOException {
        Path file = directory.resolve("chagres.toml");
        Files.writeString(file, "to = \"" + archive + "\"\npaths = [\"" + directory + "\"]\n");
        List<String> command = List.of("config", "check", file.toString());
        assertThat(run(command).out()).endsWith(": good\n");
        assertThat(run(command, "--quiet")).isEqualTo(new CommandRun(0, "", ""));
        Files.writeString(file, "max-lg = 1\n");
        assertThat(run(command, "--quiet").out())
                .isNotEmpty()
                .isEqualTo(run(command).out());
    }

    @Test
    void saysWhatIsWrong() throws IOException {
        try (Stream<Path> all = Files.walk(Path.of(archive))) {
            Path commit = all.filter(each ->
                            each.toString().contains("/log/") && each.toString().endsWith(".zst"))
                    .findFirst()
                    .orElseThrow();
            Files.write(commit, new byte[3]);
        }
        for (List<String> command : commands("quiet")) {
            CommandRun quiet = run(command, "--quiet");
            assertThat(quiet.code()).as(command.toString()).isNotZero();
            assertThat(quiet.out() + quiet.err()).as(command.toString()).isNotEmpty();
        }
    }
}
