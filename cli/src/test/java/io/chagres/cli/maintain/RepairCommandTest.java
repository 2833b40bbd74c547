package io.chagres.cli.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RepairCommandTest {
    @TempDir
    Path directory = Path.of("");

    @BeforeEach
    void write() throws IOException {
        try (SmallArchive archive = new SmallArchive(directory, "web1")) {
            long file = archive.file("/a");
            archive.append(file, "one\n").commit(1);
            archive.append(file, "two\n").commit(2);
            archive.append(file, "three\n").commit(3);
        }
    }

    private Path commit(int seq) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(path ->
                            path.toString().contains("/log/") && path.toString().endsWith(seq + ".zst"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private void damage(int seq) throws IOException {
        byte[] bytes = Files.readAllBytes(commit(seq));
        bytes[60] ^= 1;
        Files.write(commit(seq), bytes);
    }

    @Test
    void salvagesAndRepairs(@TempDir Path elsewhere) throws IOException {
        String store = directory.toString();
        assertThat(CommandRun.of("repair", store).out()).isEqualTo(RepairCommand.NOTHING + "\n");
        damage(2);
        CommandRun plain = CommandRun.of("cat", store, "web1:/a");
        assertThat(plain.code()).isEqualTo(1);
        CommandRun cat = CommandRun.of("cat", store, "web1:/a", "--salvage");
        assertThat(cat.code()).isEqualTo(1);
        assertThat(cat.out()).isEqualTo("one\nthree\n");
        assertThat(cat.err()).contains("0000000000000002.zst").contains("bytes 4 to 8 are left out");
        Path back = elsewhere.resolve("back");
        CommandRun restore = CommandRun.of("restore", store, back.toString(), "--salvage");
        assertThat(restore.code()).isEqualTo(1);
        assertThat(Files.readAllBytes(back.resolve("web1/a"))).isEqualTo("one\n\0\0\0\0three\n".getBytes());

        CommandRun dry = CommandRun.of("repair", store);
        assertThat(dry.code()).isEqualTo(1);
        assertThat(dry.out())
                .contains("would move", "would put", "lost: ", "commit 2 is lost; a note says so", "3 steps to do");
        CommandRun json = CommandRun.of("repair", store, "--json");
        assertThat(json.out().lines().toList())
                .hasSize(4)
                .anyMatch(line -> line.startsWith("{\"action\":\"quarantine\""));
        assertThat(CommandRun.of("verify", store).code()).isEqualTo(1);
        assertThat(CommandRun.of("repair", store, "web1:", "--apply").code()).isZero();
        CommandRun verify = CommandRun.of("verify", store);
        assertThat(verify.code()).as(verify.out()).isZero();
        assertThat(verify.out())
                .contains("0000000000000002.zst: lost before, named by repair on 20", "bytes 4 to 8 of /a ")
                .contains("no fault", "2 losses known before, which a repair named: no fault");
        assertThat(CommandRun.of("verify", store, "--json").out())
                .contains("\"known\":\"it is missing\"", "\"known\":2");
        assertThat(CommandRun.of("cat", store, "web1:/a", "--salvage").out()).isEqualTo("one\nthree\n");
        assertThat(CommandRun.of("ls", store, "web1:/").code()).isZero();
        assertThat(List.of(CommandRun.of("repair", store).out())).containsExactly(RepairCommand.NOTHING + "\n");
    }

    /** Files whose names went with a lost commit are in no list: who restores hears that some may be missing. */
    @Test
    void restoreSaysThatCommitsAreLost(@TempDir Path elsewhere) throws IOException {
        String store = directory.toString();
        damage(2);
        assertThat(CommandRun.of("repair", store, "--apply").code()).isZero();
        String all = elsewhere.resolve("all").toString();
        CommandRun restore = CommandRun.of("restore", store, all);
        assertThat(restore.err()).contains("repairs named 1 commit as lost");
        CommandRun nothing = CommandRun.of("restore", store, all, "web1:/b");
        assertThat(nothing.err()).contains("matches web1:/b", "repairs named 1 commit as lost");
        CommandRun quiet =
                CommandRun.of("restore", store, elsewhere.resolve("quiet").toString(), "--quiet");
        assertThat(quiet.err()).doesNotContain("named 1 commit");
        CommandRun json =
                CommandRun.of("restore", store, elsewhere.resolve("json").toString(), "--json");
        assertThat(json.out()).contains("\"lostCommits\":1,");
        String early = elsewhere.resolve("early").toString();
        CommandRun before = CommandRun.of("restore", store, early, "--at", "@1");
        assertThat(before.err()).doesNotContain("named");
    }
}
