package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.CommandRun;
import io.chagres.cli.Main;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ship -}: standard input, or what a program writes, as a file of the archive. */
final class StdinShipTest {
    @TempDir
    Path directory;

    private @Nullable Path archive;

    private CommandRun ship(List<String> child, String... more) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> args = new ArrayList<>(List.of("ship"));
        args.addAll(
                List.of("--to", store(), "--state", directory.resolve("state").toString(), "--host", "web1-stdin"));
        args.addAll(List.of(more));
        int code = Main.run(CommandContext.of(out, err, child), args.toArray(String[]::new));
        return new CommandRun(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private String store() {
        return Objects.requireNonNullElseGet(archive, () -> directory.resolve("archive"))
                .toString();
    }

    private String cat(String name) {
        return CommandRun.of("cat", store(), "web1-stdin:" + name).out();
    }

    @Test
    void shipsStandardInput() {
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream("dump".getBytes(StandardCharsets.UTF_8)));
            CommandRun ship = ship(List.of(), "-", "--as", "db.sql");
            assertThat(ship.err()).contains("ended: everything is acknowledged; shipped 4 B", "web1-stdin:/db.sql");
            assertThat(ship.code()).isZero();
        } finally {
            System.setIn(before);
        }
        assertThat(cat("/db.sql")).isEqualTo("dump");
    }

    @Test
    void theFirstLineSaysThatMemoryIsNoPlaceForAnArchive() throws IOException {
        Requires.optional("/dev/shm in memory", Files.isDirectory(Path.of("/dev/shm")));
        CommandRun kept = ship(List.of("echo", "dump"), "-", "--as", "db.sql");
        assertThat(kept.err()).doesNotContain("the archive is ");
        archive = Files.createTempDirectory(Path.of("/dev/shm"), "archive");
        try {
            CommandRun ship = ship(List.of("echo", "dump"), "-", "--as", "db.sql");
            assertThat(ship.err().lines().findFirst())
                    .hasValueSatisfying(line -> assertThat(line).contains("the archive is in memory"));
        } finally {
            Program.ok("rm", "-rf", archive.toString());
        }
    }

    @Test
    void shipsWhatAProgramWrites() {
        CommandRun ship = ship(List.of("sh", "-c", "printf dump"), "-", "--as", "dumps/db.sql", "--json");
        assertThat(ship.out()).contains("\"shippedBytes\":4,", "\"riskBytes\":0,", "\"ended\":true");
        assertThat(ship.code()).isZero();
        assertThat(cat("/dumps/db.sql")).isEqualTo("dump");
    }

    @Test
    void takesAProgramThatFailsForNoWholeFile() {
        assertThat(ship(List.of("sh", "-c", "printf whole"), "-", "--as", "db.sql")
                        .code())
                .isZero();
        CommandRun failed = ship(List.of("sh", "-c", "printf half; exit 7"), "-", "--as", "db.sql");
        assertThat(failed.code()).isEqualTo(7);
        assertThat(failed.err())
                .contains(
                        "the program ended with exit code 7",
                        "Acknowledged are 4 B, as web1-stdin:/db.sql.part",
                        "an earlier web1-stdin:/db.sql is as it was");
        assertThat(cat("/db.sql")).isEqualTo("whole");
        assertThat(cat("/db.sql.part")).isEqualTo("half");
    }

    @Test
    void refusesWhatDoesNotFit() throws IOException {
        for (List<String> each : List.of(
                List.of("-"),
                List.of("-", "/var/log", "--as", "x"),
                List.of("/var/log", "--as", "x"),
                List.of("-", "--as", "/"),
                List.of("-", "--as", ""),
                List.of("-", "--as", "a/"),
                List.of("-", "--as", ".."),
                List.of("-", "--as", "x", "--follow-links"),
                List.of("-", "--as", "x", "--dry-run"),
                List.of("-", "--as", "x", "--hold", "1GiB"))) {
            CommandRun ship = ship(List.of("true"), each.toArray(String[]::new));
            assertThat(ship.code()).as("%s: %s", each, ship.err()).isEqualTo(ExitCode.USAGE);
        }
        Path config = Files.writeString(
                directory.resolve("c.toml"), "to = \"" + store() + "\"\nhost = \"web1\"\npaths = [\"-\"]\n");
        CommandRun check = CommandRun.of("config", "check", config.toString());
        assertThat(check.code()).isNotZero();
        assertThat(check.out() + check.err()).contains("standard input (-) is shipped by a command line");
        assertThat(Files.exists(directory.resolve("archive"))).isFalse();
    }
}
