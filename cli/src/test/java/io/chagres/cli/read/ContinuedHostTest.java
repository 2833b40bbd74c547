package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A host that continues where a damaged one ends, and the message when the damaged one is taken away. */
@Tag("it")
final class ContinuedHostTest {
    private static final String FIRST = "the first bytes\n";
    private static final String SECOND = "and what came later\n";

    @TempDir
    Path directory;

    private Path archive;
    private Path file;
    private String damaged;

    @BeforeEach
    void damage() throws IOException {
        archive = directory.resolve("archive");
        file = Files.createDirectory(directory.resolve("tree")).resolve("app.log");
        Files.writeString(file, FIRST);
        ship();
        damaged = hosts().getFirst();
        try (Stream<Path> commits = Files.list(archive.resolve("hosts/" + damaged + "/log"))) {
            Path last = commits.sorted().toList().getLast();
            byte[] bytes = Files.readAllBytes(last);
            bytes[bytes.length / 2] ^= 1;
            Files.write(last, bytes);
        }
        Files.writeString(file, SECOND, StandardOpenOption.APPEND);
        assertThat(ship()).contains("continues as host");
        assertThat(hosts()).hasSize(2);
    }

    private String ship() {
        CommandRun ship = CommandRun.of(
                "ship",
                file.getParent().toString(),
                "--to",
                archive.toString(),
                "--state",
                directory.resolve("state").toString(),
                "--host",
                "web",
                "--once");
        assertThat(ship.code()).as(ship.err()).isZero();
        return ship.err();
    }

    private List<String> hosts() throws IOException {
        try (Stream<Path> all = Files.list(archive.resolve("hosts"))) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private void removeKey() throws IOException {
        try (Stream<Path> keys = Files.list(archive.resolve("names"))) {
            Files.delete(keys.filter(key -> key.toString().endsWith(damaged))
                    .findFirst()
                    .orElseThrow());
        }
    }

    private CommandRun read(String command) {
        return switch (command) {
            case "cat" -> CommandRun.of("cat", archive.toString(), "web:**");
            case "grep" -> CommandRun.of("grep", "e", archive.toString());
            case "restore" ->
                CommandRun.of(
                        "restore", archive.toString(), directory.resolve("back").toString());
            default -> CommandRun.of(command, archive.toString());
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "cat", "grep", "restore", "verify"})
    void whoReadsHearsThatTheDamagedHostWasRemoved(String command) throws IOException {
        removeKey();
        Program.ok("rm", "-r", archive.resolve("hosts/" + damaged).toString());
        CommandRun run = read(command);
        assertThat(run.code()).isEqualTo(command.equals("grep") ? 2 : ExitCode.FAILED);
        assertThat(run.err() + run.out()).contains(damaged, "1 file", "only what came later");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "cat", "grep", "restore", "verify"})
    void whoReadsHearsThatTheDamagedHostIsNotListed(String command) throws IOException {
        removeKey();
        CommandRun run = read(command);
        assertThat(run.code()).isEqualTo(command.equals("grep") ? 2 : ExitCode.FAILED);
        assertThat(run.err() + run.out()).contains(damaged);
        ship();
        assertThat(archive.resolve("names"))
                .isDirectoryContaining(key -> key.toString().endsWith(damaged));
    }

    @Test
    void catGivesTheOlderHostFirst() {
        assertThat(CommandRun.of("repair", archive.toString(), "web:", "--apply")
                        .code())
                .isZero();
        assertThat(read("cat").out()).isEqualTo(FIRST + SECOND);
    }

    @Test
    void shipsAgainWhatTheRemovedHostHeld() throws IOException {
        removeKey();
        Program.ok("rm", "-r", archive.resolve("hosts/" + damaged).toString());
        assertThat(ship()).contains(damaged, "continues as host");
        assertThat(read("cat").out()).endsWith(FIRST + SECOND);
    }
}
