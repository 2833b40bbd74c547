package io.chagres.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        CommandRun missing = doctor(directory.resolve("nowhere"));
        assertThat(missing.code()).isEqualTo(ExitCode.FAILED);
        assertThat(missing.out()).contains("nowhere").contains("fix: name an archive");
    }

    private CommandRun doctor(Path store) {
        return CommandRun.of("doctor", directory.toString(), "--state", directory.toString(), "--to", store.toString());
    }
}
