package io.chagres.cli.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VerifyCommandTest {
    @TempDir
    Path directory = Path.of("");

    @BeforeEach
    void write() {
        try (SmallArchive archive = new SmallArchive(directory, "web1")) {
            long file = archive.file("/a");
            archive.append(file, "one\n").commit(1);
            archive.append(file, "two\n").commit(2);
            archive.append(file, "three\n").commit(3);
        }
    }

    @Test
    void findsNoFault() {
        CommandRun verify = CommandRun.of("verify", directory.toString());
        assertThat(verify.code()).isZero();
        assertThat(verify.out())
                .startsWith("checked 1 host, 3 commits, 0 checkpoints, 0 data objects, ")
                .endsWith(": no fault\n");
        assertThat(CommandRun.of("verify", directory.toString(), "web1:", "--json")
                        .out())
                .startsWith("{\"hosts\":1,\"commits\":3,")
                .endsWith("\"faults\":0}\n");
    }

    @Test
    void namesADamagedCommit() throws IOException {
        Path commit = commits().get(1);
        byte[] bytes = Files.readAllBytes(commit);
        bytes[bytes.length / 2] ^= 1;
        Files.write(commit, bytes);
        CommandRun verify = CommandRun.of("verify", directory.toString());
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
        assertThat(verify.out())
                .contains(commit.getFileName().toString() + ": ")
                .contains(" fault");
        assertThat(CommandRun.of("verify", directory.toString(), "--json").out())
                .startsWith("{\"object\":\"hosts/")
                .contains("\"consequence\":");
    }

    @Test
    void namesAMissingCommit() throws IOException {
        Files.delete(commits().get(1));
        CommandRun verify = CommandRun.of("verify", directory.toString());
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
        assertThat(verify.out()).contains("0000000000000002.zst");
    }

    @Test
    void saysThatThereIsNoSuchHost() {
        CommandRun verify = CommandRun.of("verify", directory.toString(), "db:");
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
        assertThat(verify.err()).contains("no host in ").contains(" matches db:");
    }

    private List<Path> commits() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.getParent().endsWith("log"))
                    .sorted()
                    .toList();
        }
    }
}
