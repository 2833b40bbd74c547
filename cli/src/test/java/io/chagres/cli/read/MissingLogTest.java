package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every command says of a host whose log or checkpoint is gone. */
class MissingLogTest {
    @TempDir
    Path folder = Path.of("");

    private Path archive = Path.of("");

    @BeforeEach
    void fill() throws IOException {
        archive = folder.resolve("archive");
        for (String host : List.of("web1", "web2")) {
            try (SmallArchive writer = new SmallArchive(archive, host)) {
                writer.append(writer.file("/var/log/app.log"), "only here\n").commit(1);
            }
        }
    }

    private Path host(String name) throws IOException {
        try (Stream<Path> keys = Files.list(archive.resolve("names"))) {
            String key = keys.map(each -> each.getFileName().toString())
                    .filter(each -> each.startsWith(name + "~"))
                    .findFirst()
                    .orElseThrow();
            return archive.resolve("hosts").resolve(key.substring(key.lastIndexOf('-') + 1));
        }
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private List<CommandRun> readers() {
        String store = archive.toString();
        return List.of(
                CommandRun.of("ls", store),
                CommandRun.of("ls", store, "*:/**"),
                CommandRun.of("cat", store, "*:/var/log/app.log"),
                CommandRun.of("tail", store, "*:/var/log/app.log"),
                CommandRun.of("grep", "only", store),
                CommandRun.of("restore", store, folder.resolve("restored").toString()),
                CommandRun.of("compact", store),
                CommandRun.of("status", store));
    }

    /** Each does its work on the other host, and says of this one that something is missing. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyCommandSaysThatSomethingIsMissing(boolean compacted) throws IOException {
        if (compacted) {
            SmallArchive.compact(archive);
            SmallArchive.compact(archive); // removes what the first made superfluous
            remove(host("web1").resolve("checkpoints"));
        }
        remove(host("web1").resolve("log"));
        String id = host("web1").getFileName().toString();
        for (CommandRun run : readers()) {
            assertThat(run.code()).as(run.out() + run.err()).isNotZero();
            assertThat(run.out() + run.err()).contains(id, "it is missing");
        }
        CommandRun verify = CommandRun.of("verify", archive.toString());
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
        assertThat(verify.out()).doesNotContain("no fault", "'chagres compact' removes");
        if (compacted) {
            assertThat(verify.out()).contains("perhaps the only copy of what is missing");
        }
        CommandRun repair = CommandRun.of("repair", archive.toString(), "--apply");
        assertThat(repair.code()).as(repair.out()).isEqualTo(ExitCode.FAILED);
    }

    /** A key that is gone hides nothing, and repair puts it again. */
    @Test
    void aHostWithoutItsKeyIsThere() throws IOException {
        Path id = host("web1").getFileName();
        try (Stream<Path> keys = Files.list(archive.resolve("names"))) {
            for (Path key : keys.filter(each -> each.toString().endsWith(String.valueOf(id)))
                    .toList()) {
                Files.delete(key);
                Files.createDirectory(key); // what is no object has its place
            }
        }
        for (CommandRun run : readers()) {
            assertThat(run.code()).as(run.err()).isZero();
        }
        assertThat(CommandRun.of("cat", archive.toString(), "web1:/var/log/app.log")
                        .out())
                .isEqualTo("only here\n");
        assertThat(CommandRun.of("verify", archive.toString()).out()).contains("no key of names/ leads to it");
        assertThat(CommandRun.of("repair", archive.toString(), "--apply").code())
                .isZero();
        assertThat(CommandRun.of("verify", archive.toString()).out()).contains("no fault");
    }

    /** Somebody may have put the object elsewhere, or something into its place. */
    @ParameterizedTest
    @ValueSource(strings = {"link", "directory"})
    void repairKeepsWhatHasThePlaceOfAnObject(String kind) throws IOException {
        try (SmallArchive writer = new SmallArchive(archive, "web3")) {
            long file = writer.file("/var/log/app.log");
            writer.append(file, "first\n").commit(1);
            writer.append(file, "second\n").commit(2);
        }
        Path commit = host("web3").resolve("log/0000000000000002.zst");
        Path elsewhere = folder.resolve("elsewhere");
        Files.move(commit, elsewhere);
        if (kind.equals("link")) {
            Files.createSymbolicLink(commit, elsewhere);
        } else {
            Files.createDirectory(commit);
            Files.move(elsewhere, commit.resolve("file"));
        }
        for (int again = 1; again <= 2; again++) {
            CommandRun repair = CommandRun.of("repair", archive.toString(), "--apply");
            assertThat(repair.code()).as(repair.out() + repair.err()).isZero();
            Path kept = archive.resolve("quarantine/" + archive.relativize(commit) + "-" + again);
            if (kind.equals("link")) {
                assertThat(kept).isSymbolicLink();
                Files.createSymbolicLink(commit, elsewhere);
            } else {
                assertThat(kept.resolve("file")).isRegularFile();
                Files.createFile(Files.createDirectory(commit).resolve("file"));
            }
        }
    }
}
