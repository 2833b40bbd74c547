package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code grep} and {@code cat} by the times that stand in lines, whenever these were committed. */
final class LineTimesTest {
    private static final String TRACE = "2026-01-02T09:00:00Z ERROR one\n"
            + "2026-01-02T09:10:00Z ERROR two\n  at a ERROR\n2026-01-02T09:20:00Z ERROR three\n";

    @TempDir
    Path directory = Path.of("");

    @BeforeEach
    void write() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(TRACE.getBytes(StandardCharsets.UTF_8));
        }
        try (SmallArchive host = new SmallArchive(directory.resolve("archive"), "web1")) {
            host.append(host.file("/log/app.log"), TRACE).commit(1);
            host.append(host.file("/log/access"), "- - [02/Jan/2026:09:10:00 +0000] ERROR 500\n")
                    .commit(2);
            host.append(host.file("/log/plain"), "ERROR without a time\n").commit(3);
            host.append(host.file("/log/own"), "2.1.2026 09:10 ERROR own\n").commit(4);
            host.append(host.file("/log/app.log.gz"), packed.toByteArray()).commit(5);
        }
    }

    private CommandRun run(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(command));
        for (String each : arguments) {
            all.add(each.equals("STORE") ? directory.resolve("archive").toString() : each);
        }
        all.addAll(List.of("--line-since", "2026-01-02T09:05Z", "--line-until", "2026-01-02T09:15Z"));
        return CommandRun.of(all.toArray(String[]::new));
    }

    @Test
    void searchesTheLinesOfATimeAndSaysHowItReadThem() {
        CommandRun grep = run("grep", "-n", "ERROR", "STORE");
        assertThat(grep.out())
                .isEqualTo("web1:/log/access:1:- - [02/Jan/2026:09:10:00 +0000] ERROR 500\n"
                        + "web1:/log/app.log:2:2026-01-02T09:10:00Z ERROR two\n"
                        + "web1:/log/app.log:3:  at a ERROR\n");
        assertThat(grep.err())
                .contains(
                        "times of lines are read as clf in 1 file, iso in 1 file",
                        "no time is known of any line of web1:/log/app.log.gz and 2 more, and so none is shown");
        assertThat(grep.code()).isZero();
    }

    @Test
    void searchesWhatIsPackedAndCountsWhatMatches() {
        CommandRun grep = run("grep", "-z", "-c", "ERROR", "STORE", "web1:/log/app*");
        assertThat(grep.out()).isEqualTo("web1:/log/app.log:2\nweb1:/log/app.log.gz:2\n");
    }

    @Test
    void readsTimesAsSomebodySaysTheyAreWritten() {
        CommandRun grep = run("grep", "-I", "ERROR", "STORE", "web1:/log/own", "--time-format", "%d.%m.%Y %H:%M");
        assertThat(grep.err()).isEmpty();
        assertThat(grep.out()).isEqualTo("2.1.2026 09:10 ERROR own\n");
    }

    @Test
    void givesTheLinesOfATime() {
        CommandRun cat = run("cat", "STORE", "web1:/log/app.log");
        assertThat(cat.out()).isEqualTo("2026-01-02T09:10:00Z ERROR two\n  at a ERROR\n");
        assertThat(run("cat", "STORE", "web1:/log/a*s*", "--json").out()).contains("\"position\":0,");
    }

    /** The last lines are those of the window, though it is not the end of the file. */
    @Test
    void givesTheLastLinesOfATime() {
        assertThat(run("tail", "STORE", "web1:/log/app.log", "-n1").out()).isEqualTo("  at a ERROR\n");
        CommandRun tail = run("tail", "STORE", "web1:/log/app.log");
        assertThat(tail.out()).isEqualTo("2026-01-02T09:10:00Z ERROR two\n  at a ERROR\n");
        assertThat(tail.err()).contains("times of lines are read as iso in 1 file");
        assertThat(run("tail", "STORE", "web1:/log/app.log", "-n0").out()).isEmpty();
        assertThat(run("tail", "STORE", "web1:/log/app.log", "-f").code()).isEqualTo(ExitCode.USAGE);
    }

    /** Lines of a window that others interrupt, as where several threads write. */
    @Test
    void givesTheLastLinesOfSeveralRuns() {
        try (SmallArchive host = new SmallArchive(directory.resolve("archive"), "db1")) {
            long version = host.file("/log");
            for (int i = 0; i < 10; i++) {
                host.append(version, "2026-01-02T09:10:00Z in " + i + "\n  more\n2026-01-02T08:00:00Z out\n");
            }
            host.append(version, "2026-01-02T09:11:00Z end").commit(1);
        }
        assertThat(run("tail", "STORE", "db1:/log", "-n4").out())
                .isEqualTo("  more\n2026-01-02T09:10:00Z in 9\n  more\n2026-01-02T09:11:00Z end");
        assertThat(run("tail", "STORE", "db1:/log", "-n99").out().lines()).hasSize(21);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--time-format=%H", "--time-format=%Q %d"})
    void refusesWhatIsNoFormat(String option) {
        assertThat(run("grep", "x", "STORE", option).code()).isEqualTo(ExitCode.USAGE);
        String store = directory.resolve("archive").toString();
        assertThat(CommandRun.of("cat", store, "web1:", "--time-format", "iso").err())
                .contains("belongs to --line-since");
    }
}
