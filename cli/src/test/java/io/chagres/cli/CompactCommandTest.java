package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CompactCommandTest {
    @TempDir
    Path directory = Path.of("");

    @BeforeEach
    void write() {
        try (SmallArchive archive = new SmallArchive(directory, "web1")) {
            long file = archive.file("/a.log");
            archive.append(file, "one\n").commit(1);
            archive.append(file, "two\n").commit(2);
        }
    }

    @Test
    void saysWhatItWouldDoAndDoesNothing() {
        CommandRun compact = CommandRun.of("compact", directory.toString(), "--dry-run", "--grace", "0");
        assertThat(compact.code()).isZero();
        assertThat(compact.out()).startsWith("web1: would write 1 object with 8 B, would remove ");
        assertThat(verify()).contains("2 commits, 0 checkpoints, 0 data objects");
    }

    @Test
    void writesObjectsAndRemovesWhatTheyReplace() {
        assertThat(CommandRun.of("compact", directory.toString(), "web1:").out())
                .startsWith("web1: wrote 1 object with 8 B in ")
                .contains(", removed 0 commits");
        assertThat(verify())
                .contains("2 commits, 1 checkpoint, 1 data object, ")
                .contains("no fault");
        assertThat(CommandRun.of("compact", directory.toString(), "--grace", "0", "--json")
                        .out())
                .startsWith("{\"host\":\"web1\"")
                .contains("\"objectsWritten\":0,", "\"commitsRemoved\":2,");
        assertThat(verify()).contains("no fault");
        assertThat(CommandRun.of("cat", directory.toString(), "web1:a.log").out())
                .isEqualTo("one\ntwo\n");
    }

    @Test
    void thePastThatWasCompactedCannotBeRead() {
        CommandRun.of("compact", directory.toString());
        assertThat(cat("@1").out()).isEqualTo("one\n");
        CommandRun.of("compact", directory.toString(), "--grace", "0");
        assertThat(cat("@1").code()).isEqualTo(ExitCode.FAILED);
        assertThat(cat("@1").err()).contains("before 1970-01-01T00:00:02Z was compacted; choose a later time");
        assertThat(cat("@2").out()).isEqualTo("one\ntwo\n");
    }

    @Test
    void checksTheLevel() {
        assertThat(CommandRun.of("compact", directory.toString(), "--level", "20")
                        .code())
                .isEqualTo(ExitCode.USAGE);
    }

    private CommandRun cat(String time) {
        return CommandRun.of("cat", directory.toString(), "web1:a.log", "--at", time);
    }

    private String verify() {
        return CommandRun.of("verify", directory.toString()).out();
    }
}
