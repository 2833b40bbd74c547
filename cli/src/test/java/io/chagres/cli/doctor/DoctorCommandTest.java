package io.chagres.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
final class DoctorCommandTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void looksAtTheMachineAndThePaths() {
        CommandRun doctor = CommandRun.of("doctor", directory.toString(), "--state", directory.toString());
        assertThat(doctor.code()).isZero();
        assertThat(doctor.out())
                .contains("java ", "kernel ", "inotify max_user_watches ", "open files ", "machine id ", "user ")
                .contains("source " + directory)
                .contains("state ");
        assertThat(doctor.err()).isEmpty();
    }

    @Test
    void failsForAPathThatCannotBeShipped() {
        CommandRun doctor = CommandRun.of("doctor", "/nonexistent", "--state", directory.toString(), "--json");
        assertThat(doctor.code()).isEqualTo(ExitCode.FAILED);
        assertThat(doctor.out())
                .contains("{\"check\":\"source /nonexistent\",\"result\":\"fail\",\"detail\":\"No such file or");
    }

    @Test
    void looksAtAnArchive() {
        Path store = directory.resolve("archive");
        new SmallArchive(store, "web1").close();
        assertThat(doctor(store).out()).contains("archive ").contains(", 1 host");
    }

    /** An archive that can be listed may hold a host that cannot be read. */
    @Test
    void namesTheDamageOfItsOwnHost() throws IOException {
        Path store = directory.resolve("archive");
        String name = Machine.current().hostName();
        try (SmallArchive archive = new SmallArchive(store, name)) {
            archive.commit(1);
        }
        assertThat(doctor(store).out()).doesNotContain("archive host");
        try (Stream<Path> all = Files.walk(store)) {
            Path commit = all.filter(each -> each.getParent().endsWith("log"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
            Files.delete(commit);
            Files.write(commit, new byte[1]);
        }
        assertThat(doctor(store).out()).contains("archive host", name + " (", "is damaged: ", "chagres repair");
    }

    /** Before the first ship the doctor says what that would make, and names a missing directory above it. */
    @Test
    void anArchiveThatIsNotThereYetIsMadeByTheFirstShip() {
        CommandRun first = doctor(directory.resolve("nowhere"));
        assertThat(first.code()).as(first.out()).isZero();
        assertThat(first.out())
                .contains("nowhere is not there yet; the first ship makes it")
                .contains("this user can make objects there", "a day");
        CommandRun mistyped = doctor(directory.resolve("nowhere/deep"));
        assertThat(mistyped.out()).contains("which does not exist either", "if the path is meant so");
        assertThat(directory.resolve("nowhere")).doesNotExist();
    }

    private List<String> all() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.map(each -> each + " " + each.toFile().lastModified())
                    .sorted()
                    .toList();
        }
    }

    /** An object that somebody else leaves in an archive may keep out the user who ships. */
    @Test
    void lookingChangesNothing() throws IOException {
        Path store = Files.createDirectory(directory.resolve("archive"));
        Files.createDirectory(directory.resolve("logs"));
        List<String> before = all();
        for (Path each : List.of(store, directory.resolve("new"))) {
            CommandRun doctor = CommandRun.of(
                    "doctor", directory + "/logs", "--state", directory + "/state", "--to", each.toString());
            assertThat(doctor.out()).contains("archive write");
            assertThat(all()).isEqualTo(before);
        }
    }

    @Test
    void saysThatAnArchiveLiesOnTheDiskOfItsSources() {
        assertThat(doctor(directory.resolve("archive")).out().lines()).anySatisfy(line -> assertThat(line)
                .matches("archive place +warn +the archive is on the same file system as .*"));
    }

    @Test
    void triesToWriteTheArchiveAndAsksItsClock() {
        Path store = directory.resolve("archive");
        new SmallArchive(store, "web1").close();
        assertThat(doctor(store).out())
                .contains("archive write", "this user can make objects there")
                .contains("archive clock", "agrees with this machine's")
                .contains("archive disk", "a day", "requests a day at most");
    }

    @Test
    void looksAtTheTreeForRoomAndRights() throws IOException {
        Files.createDirectories(directory.resolve("logs/deep"));
        Files.writeString(directory.resolve("logs/deep/a"), "12345");
        String out = CommandRun.of("doctor", directory + "/logs", "--state", directory.toString())
                .out();
        assertThat(out)
                .contains("to ship", "1 file, 5 B", "watches", "descriptors", "rights")
                .doesNotContain("run as root");
    }

    @Test
    void looksAtWhatAConfigurationNames() throws IOException {
        Path store = directory.resolve("archive");
        new SmallArchive(store, "web1").close();
        Files.createDirectory(directory.resolve("logs"));
        Path config = Files.writeString(
                directory.resolve("chagres.toml"),
                "to = \"" + store + "\"\n[[source]]\npaths = [\"" + directory + "/logs\"]\n");
        CommandRun doctor = CommandRun.of("doctor", "--config", config.toString(), "--state", directory.toString());
        assertThat(doctor.out()).contains("source " + directory + "/logs").contains("archive write");
        assertThat(doctor.code()).isZero();
    }

    @Test
    void aMistypedArchiveGetsASentenceAboutPaths() {
        CommandRun ls = CommandRun.of("ls", directory.resolve("nowhere").toString());
        assertThat(ls.code()).isEqualTo(ExitCode.FAILED);
        assertThat(ls.err()).contains("nowhere").contains("Correct the path").doesNotContain("acknowledged");
    }

    private CommandRun doctor(Path store) {
        return CommandRun.of("doctor", directory.toString(), "--state", directory.toString(), "--to", store.toString());
    }

    /** The archive of a spool is nobody's mistake when it is not there. */
    @Test
    void aSpoolIsMadeByTheFirstShip() {
        CommandRun doctor = CommandRun.of("doctor", directory.toString(), "--to", "kafka://127.0.0.1:9/logs");
        assertThat(doctor.out()).contains("kafka://127.0.0.1:9/logs is not asked", "the first ship makes it");
        CommandRun dry = CommandRun.of("ship", directory.toString(), "--to", "kafka://127.0.0.1:9/logs", "--dry-run");
        assertThat(dry.code()).isZero();
        assertThat(dry.out()).contains("would ship to kafka://127.0.0.1:9/logs, through ");
    }
}
