package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code restore} of what {@code ship} shipped. */
@Tag("long")
final class RestoreCommandTest {
    @TempDir
    Path directory = Path.of("");

    private Path source = Path.of("");
    private Path target = Path.of("");

    @BeforeEach
    void ship() throws IOException {
        source = directory.resolve("source");
        target = directory.resolve("target");
        Files.createDirectories(source.resolve("deep/empty"));
        Files.writeString(source.resolve("deep/a.log"), "a\n");
        Files.writeString(source.resolve("b.log"), "no newline");
        Files.createFile(source.resolve("nothing"));
        Files.createLink(source.resolve("hard"), source.resolve("b.log"));
        Files.createSymbolicLink(source.resolve("soft"), Path.of("deep/a.log"));
        CommandRun ship = CommandRun.of(
                "ship",
                source.toString(),
                "--to",
                store(),
                "--host",
                "web1",
                "--once",
                "--state",
                directory + "/state");
        assertThat(ship.err()).contains("ended: everything is acknowledged");
    }

    @Test
    void givesTheTreeBack() throws IOException {
        CommandRun restore = CommandRun.of("restore", store(), target.toString());
        assertThat(restore.err()).isEmpty();
        assertThat(restore.code()).isZero();
        assertThat(restore.out()).startsWith("restored 3 files, ").endsWith("12 B to " + target + "\n");
        assertThat(tree(target.resolve("web1" + source))).isEqualTo(tree(source));
        assertThat(Files.getAttribute(target.resolve("web1" + source + "/hard"), "unix:nlink"))
                .isEqualTo(2);
    }

    @Test
    void givesSomeFilesBack() throws IOException {
        CommandRun restore = CommandRun.of("restore", store(), target.toString(), "web1:*.log", "--json");
        assertThat(restore.code()).isZero();
        assertThat(restore.out()).startsWith("{\"files\":2,").endsWith(",\"faults\":0}\n");
        assertThat(tree(target.resolve("web1" + source))).containsOnlyKeys("", "b.log", "deep", "deep/a.log");
    }

    @Test
    void saysThatNothingMatches() {
        CommandRun restore = CommandRun.of("restore", store(), target.toString(), "web1:/nothing/*");
        assertThat(restore.code()).isEqualTo(ExitCode.FAILED);
        assertThat(restore.err()).contains("nothing in ", " matches web1:/nothing/*");
        assertThat(restore.out()).isEmpty();
    }

    @Test
    void namesWhatItDoesNotReplace() throws IOException {
        CommandRun.of("restore", store(), target.toString());
        CommandRun again = CommandRun.of("restore", store(), target.toString());
        assertThat(again.code()).isEqualTo(ExitCode.FAILED);
        assertThat(again.err()).contains("b.log").contains("named above");
        assertThat(tree(target.resolve("web1" + source))).isEqualTo(tree(source));
    }

    private void loses(String name) throws IOException {
        Files.delete(source.resolve(name));
        CommandRun.of(
                "ship",
                source.toString(),
                "--to",
                store(),
                "--host",
                "web1",
                "--once",
                "--state",
                directory + "/state");
    }

    @Test
    void saysWhatIsGoneAndGivesItBackBesideWhatStands() throws IOException {
        loses("deep/a.log");
        CommandRun restore = CommandRun.of("restore", store(), target.toString());
        assertThat(restore.code()).isZero();
        assertThat(restore.err()).isEqualTo("chagres restore: 1 file is gone, 2 B ('restore --gone' brings it back)\n");
        assertThat(tree(target.resolve("web1" + source))).isEqualTo(tree(source));

        CommandRun gone = CommandRun.of("restore", store(), target.toString(), "--gone");
        assertThat(gone.err()).isEmpty();
        assertThat(gone.code()).isZero();
        assertThat(target.resolve(".gone/web1" + source + "/deep/a.log")).hasContent("a\n");
        assertThat(tree(target.resolve("web1" + source))).isEqualTo(tree(source));
        assertThat(CommandRun.of("restore", store(), target + "2", "--hide-gone")
                        .err())
                .isEmpty();
        assertThat(CommandRun.of("restore", store(), target + "3", "--json").out())
                .contains("\"goneFiles\":1,\"goneBytes\":2,");
    }

    @Test
    void saysHowToGetTheOnePathThatIsGone() throws IOException {
        loses("deep/a.log");
        CommandRun restore = CommandRun.of("restore", store(), target.toString(), "web1:a.log");
        assertThat(restore.code()).isEqualTo(ExitCode.FAILED);
        assertThat(restore.err())
                .contains("nothing in ", " matches web1:a.log; 1 file is gone, 2 B ('restore --gone' brings it back)");
        assertThat(CommandRun.of("restore", store(), target.toString(), "web1:a.log", "--gone")
                        .code())
                .isZero();
        assertThat(target.resolve(".gone/web1" + source + "/deep/a.log")).hasContent("a\n");
        assertThat(CommandRun.of("restore", store(), target.toString(), "web1:b.log", "--gone")
                        .err())
                .contains("nothing that is gone in ");
        assertThat(CommandRun.of("restore", store(), target.toString(), "--gone", "--hide-gone")
                        .code())
                .isEqualTo(ExitCode.USAGE);
    }

    private String store() {
        return directory.resolve("archive").toString();
    }

    /** Returns the names of a tree with what makes them up. */
    private static Map<String, String> tree(Path root) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                String what = Files.isSymbolicLink(path)
                        ? "-> " + Files.readSymbolicLink(path)
                        : Files.getPosixFilePermissions(path) + " " + Files.getLastModifiedTime(path)
                                + (Files.isDirectory(path) ? "" : Files.readString(path));
                tree.put(root.relativize(path).toString(), what);
            }
        }
        return tree;
    }
}
