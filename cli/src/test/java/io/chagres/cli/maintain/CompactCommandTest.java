package io.chagres.cli.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
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
        assertThat(compact.out())
                .startsWith("would write bytes 0 to 8 of /a.log (version 0000000000000001), 8 B\n")
                .contains("web1: would write 1 object with 8 B, would remove ");
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
    void thePastStaysWhenItIsCompacted() {
        CommandRun.of("compact", directory.toString(), "--history", "1s");
        assertThat(cat("@1").out()).isEqualTo("one\n");
        CommandRun.of("compact", directory.toString(), "--grace", "0");
        assertThat(cat("@1").out()).isEqualTo("one\n");
        assertThat(cat("@2").out()).isEqualTo("one\ntwo\n");
    }

    @Test
    void shardsShareTheHosts() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            try (SmallArchive archive = new SmallArchive(directory, "shared" + i)) {
                archive.append(archive.file("/a.log"), "a").commit(1);
                all.add("shared" + i);
            }
        }
        List<String> done = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CommandRun run =
                    CommandRun.of("compact", directory.toString(), "shared*:", "--shard", i + "/3", "--dry-run");
            assertThat(run.code()).isZero();
            run.out().lines().filter(line -> line.startsWith("shared")).forEach(line -> done.add(line.split(":")[0]));
        }
        assertThat(done).containsExactlyInAnyOrderElementsOf(all);
        for (String wrong : List.of("3/3", "-1/3", "1", "/", "a/b", "1/0", "")) {
            CommandRun run = CommandRun.of("compact", directory.toString(), "--shard", wrong);
            assertThat(run.code()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("write 0/8 for the first of eight");
        }
    }

    @Test
    void expiresWhatIsOlderThanRetained() throws IOException {
        assertThat(CommandRun.of("compact", directory.toString(), "--retain", "0")
                        .code())
                .isEqualTo(ExitCode.USAGE);
        try (SmallArchive archive = new SmallArchive(directory, "web2")) {
            long file = archive.file("/large.log");
            for (int i = 0; i < 16; i++) {
                archive.append(file, "0123456789abcdef".repeat(8192)).commit(i + 1);
            }
        }
        age(Duration.ofDays(40));
        CommandRun dry = CommandRun.of("compact", directory.toString(), "web2:", "--retain", "30d", "--dry-run");
        assertThat(dry.out()).contains("would expire after the grace period bytes 0 to 1048576 of /large.log");
        for (int i = 0; i < 3; i++) {
            assertThat(CommandRun.of("compact", directory.toString(), "--retain", "30d", "--grace", "0")
                            .code())
                    .isZero();
        }
        assertThat(verify()).contains("no fault");
        CommandRun cat = CommandRun.of("cat", directory.toString(), "web2:large.log");
        assertThat(cat.err()).contains("bytes 0 to 1048576 were expired by --retain");
        assertThat(cat.out()).hasSize(1 << 20);
        CommandRun restore = CommandRun.of(
                "restore", directory.toString(), directory.resolve("back").toString());
        assertThat(restore.err()).isEqualTo("chagres restore: the first 1.0 MiB of 1 file were expired by --retain\n");
        CommandRun last = CommandRun.of("tail", directory.toString(), "web2:large.log", "-n", "2");
        assertThat(last.err()).contains("web2:/large.log: bytes 0 to 1048576 were expired by --retain");
        CommandRun range = CommandRun.of("cat", directory.toString(), "web2:large.log", "--bytes", "0-100");
        assertThat(range.code()).isEqualTo(ExitCode.FAILED);
        assertThat(range.err()).contains("were expired by --retain; what is kept begins at byte 1048576");
    }

    private void age(Duration by) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(
                        file,
                        FileTime.from(
                                Files.getLastModifiedTime(file).toInstant().minus(by)));
            }
        }
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
