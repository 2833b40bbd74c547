package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.CommandRun;
import io.chagres.cli.command.CommandContext;
import io.chagres.linux.Pathname;
import io.chagres.ship.metrics.Metrics;
import io.chagres.testkit.Requires;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where an archive lies that would go with what it holds. */
class ArchivePlaceTest {
    private static final List<String> TABLE = List.of(
            "# a comment /mnt/none x",
            "UUID=1 / ext4 defaults 0 1",
            "UUID=2 none swap sw",
            "server:/a /mnt/archive nfs defaults 0 0",
            "UUID=3 /mnt/with\\040blank xfs defaults",
            "UUID=4 /mnt/archive/deep xfs defaults",
            "");

    @TempDir
    Path directory = Path.of("");

    private static String unmounted(String archive, String... mounted) {
        Pathname found = ArchivePlace.unmounted(
                Pathname.of(archive), TABLE, point -> Set.of(mounted).contains(point.toString()));
        return found == null ? "" : found.toString();
    }

    @Test
    void findsAMountPointWithoutAMount() {
        assertThat(unmounted("/mnt/archive")).isEqualTo("/mnt/archive");
        assertThat(unmounted("/mnt/archive/x/y")).isEqualTo("/mnt/archive");
        assertThat(unmounted("/mnt/archive/x", "/mnt/archive")).isEmpty();
        assertThat(unmounted("/mnt/archive/deep/x", "/mnt/archive")).isEqualTo("/mnt/archive/deep");
        assertThat(unmounted("/mnt/archiver")).isEmpty();
        assertThat(unmounted("/mnt/with blank/a")).isEqualTo("/mnt/with blank");
        assertThat(unmounted("/srv/archive")).isEmpty();
    }

    private List<String> concerns(String path, String store) throws IOException {
        CommandContext context = CommandContext.of(new ByteArrayOutputStream(), new ByteArrayOutputStream(), List.of());
        return ArchivePlace.concerns(ShipPlan.of(context, List.of(path), store));
    }

    /** It need not be there yet, and a pattern begins somewhere. */
    @Test
    void findsAnArchiveOnTheDiskOfItsSources() throws IOException {
        Path logs = Files.createDirectory(directory.resolve("logs"));
        for (String path : List.of(logs.toString(), logs + "/*.log", logs + "/not/yet")) {
            assertThat(concerns(path, directory + "/no/archive/yet"))
                    .last()
                    .asString()
                    .startsWith("the archive is on the same file system as " + logs)
                    .endsWith(": what breaks that disk takes both");
        }
        assertThat(concerns(logs.toString(), "s3://bucket/prefix")).isEmpty();
        assertThat(concerns("/proc/self", directory.toString())).noneMatch(each -> each.contains("same file system"));
    }

    /** What is put there would be put there again. */
    @Test
    void isNotFollowedWhereBytesAreLimitedEither() throws IOException {
        Path logs = Files.createDirectory(directory.resolve("logs"));
        Files.writeString(logs.resolve("app.log"), "line\n");
        String store = logs + "/archive";
        for (int run = 0; run < 2; run++) {
            CommandRun.of(
                    "ship",
                    logs.toString(),
                    "--to",
                    store,
                    "--host",
                    "web1",
                    "--once",
                    "--limit-rate",
                    "1GiB",
                    "--state",
                    directory + "/state");
        }
        assertThat(CommandRun.of("ls", store, "web1:**").out())
                .contains("app.log")
                .doesNotContain("archive/");
    }

    @Test
    void saysThatMemoryIsNoPlace() throws IOException {
        Requires.optional("/dev/shm in memory", Files.isDirectory(Path.of("/dev/shm")));
        assertThat(concerns("/proc/self", "/dev/shm/archive"))
                .singleElement()
                .asString()
                .contains("in memory");
    }

    @Test
    void aMetricTellsIt() {
        assertThat(ArchivePlace.addTo(new Metrics(), List.of("a concern")).text(false))
                .contains("chagres_archive_misplaced 1\n");
        assertThat(ArchivePlace.addTo(new Metrics(), List.of()).text(false)).contains("chagres_archive_misplaced 0\n");
    }

    @Test
    void theFirstLineOfAShipSaysIt() throws IOException {
        Path logs = Files.createDirectory(directory.resolve("logs"));
        CommandRun ship = CommandRun.of(
                "ship",
                logs.toString(),
                "--to",
                directory.resolve("archive").toString(),
                "--state",
                directory.resolve("state").toString(),
                "--host",
                "web1",
                "--once");
        assertThat(ship.err().lines().findFirst()).hasValueSatisfying(line -> assertThat(line)
                .contains("the archive is on the same file system as " + logs));
    }
}
