package io.chagres.cli.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class DedupeCommandTest {
    private final Path temp;

    DedupeCommandTest(@TempDir Path temp) {
        this.temp = temp;
    }

    private Path tree;

    @BeforeEach
    void makeTree() throws IOException {
        tree = fill(Files.createDirectory(temp.resolve("tree")));
    }

    private static Path fill(Path directory) throws IOException {
        String content = "the same words again\n".repeat(3000);
        Files.writeString(directory.resolve("a.txt"), content);
        Files.writeString(directory.resolve("b.txt"), content);
        Files.writeString(directory.resolve("c.txt"), content.replaceFirst("the", "The"));
        Files.createSymbolicLink(directory.resolve("link"), directory.resolve("a.txt"));
        return directory;
    }

    @Test
    void refusesWhatItCannotMean() {
        assertThat(run("--verify", tree.toString()).err()).contains("--verify belongs to --dry-run");
        assertThat(run("--threads", "0", tree.toString()).code()).isEqualTo(ExitCode.USAGE);
        assertThat(run("--block-size", "5000", tree.toString()).err()).contains("--block-size must be a power of two");
        assertThat(run("--follow", "--dry-run", tree.toString()).code()).isEqualTo(ExitCode.USAGE);
        assertThat(run("--exclude", "a[b", tree.toString()).err()).contains("an open [");
        CommandRun link = run(tree.resolve("link").toString());
        assertThat(link.code()).isEqualTo(ExitCode.USAGE);
        assertThat(link.err()).contains("is a symbolic link; name what it leads to");
        assertThat(run(tree.resolve("absent").toString()).err()).contains("No such file");
        assertThat(run("--db", tree.resolve("a.txt").toString(), tree.toString())
                        .err())
                .contains("a.txt is no database of chagres dedupe");
    }

    /** A database is renamed into its place: what is no file, as a device, would be gone. */
    @Test
    void replacesOnlyAFileByItsDatabase() throws IOException {
        Path pipe = temp.resolve("pipe");
        Program.ok("mkfifo", pipe.toString());
        for (Path each : List.of(pipe, tree, Path.of("/dev/null"))) {
            CommandRun refused = run("--dry-run", "--db", each.toString(), tree.toString());
            assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
            assertThat(refused.err()).contains(each + " is no file", "name another one");
        }
        assertThat(Files.readAttributes(pipe, BasicFileAttributes.class).isOther())
                .isTrue();
        String absent = temp.resolve("absent").toString();
        CommandRun early = run("--dry-run", "--db", absent + "/db", tree.toString());
        assertThat(early.err()).contains(absent, "No such file or directory");
        assertThat(early.out()).isEmpty();
    }

    @Test
    void reportsEqualFilesOnAnyFileSystem() {
        CommandRun report = run("--dry-run", "--verify", tree.toString());
        assertThat(report.code()).isZero();
        assertThat(report.out()).contains("would share " + tree, "3 files, ", "would share 1 files, 61.5 KiB");
        CommandRun json = run("--dry-run", "--json", tree.toString());
        assertThat(json.out())
                .contains("{\"event\":\"would-share\",\"path\":\"" + tree, "\"bytes\":63000}", "\"shared_files\":1,");
    }

    @Test
    void filtersByNameAndSize() {
        assertThat(run("--dry-run", "--include", "*.txt", "--exclude", "b.*", tree.toString())
                        .out())
                .contains("2 files, ", "would share 0 files");
        assertThat(run("--dry-run", "--min-size", "1MiB", tree.toString()).out())
                .startsWith("0 files, ");
        String a = tree.resolve("a.txt").toString();
        assertThat(run("--dry-run", a, tree.resolve("b.txt").toString()).out()).contains("would share 1 files");
        assertThat(run("--dry-run", tree.toString(), a).out()).contains("4 files, ", "hard links 0");
    }

    @Test
    @Tag("it")
    void saysWhereBlocksCannotBeShared() throws IOException {
        Requires.loopDevices();
        Path image = Mounted.ext4Image(temp.resolve("image"));
        try (Mounted disk = Mounted.image(image, temp.resolve("disk"))) {
            CommandRun refused = run(fill(disk.directory()).toString());
            assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
            assertThat(refused.err()).contains("(ext4) cannot share blocks").hasLineCount(1);
        }
    }

    @Test
    @Tag("it")
    void sharesAndRemembers() throws IOException {
        Requires.loopDevices();
        Requires.tool("mkfs.xfs");
        Requires.kernelFileSystem("xfs");
        try (Mounted disk = Mounted.directFileSystem(
                temp.resolve("image"), temp.resolve("disk"), "320M", "defaults", "mkfs.xfs", "-q", "-m", "reflink=1")) {
            String top = fill(disk.directory()).toString();
            CommandRun plan = run("--dry-run", top);
            assertThat(plan.out()).contains("would free 64.0 KiB");
            CommandRun shared = run("--verbose", "--blocks", "--sparsify", "--db", temp.resolve("db") + "", top);
            assertThat(shared.err()).isEmpty();
            assertThat(shared.code()).isZero();
            assertThat(shared.out()).contains("shared 1 files, 61.5 KiB", "freed 64.0 KiB");
            assertThat(run(top).out()).contains("already shared 1,", "freed 0 B");
            Path inside = disk.directory().resolve("inside");
            try (Mounted other = Mounted.tmpfs(inside, "size=1m")) {
                fill(other.directory());
                CommandRun two = run(top);
                assertThat(two.code()).as("tmpfs cannot").isEqualTo(ExitCode.FAILED);
                assertThat(two.err()).contains("the paths are on 2 file systems", "cannot share blocks");
                assertThat(two.out()).startsWith("6 files, ");
                CommandRun one = run("--one-file-system", top);
                assertThat(one.code()).isZero();
                assertThat(one.out()).startsWith("3 files, ");
                assertThat(one.err()).isEmpty();
            }
        }
    }

    private static CommandRun run(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "dedupe";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return CommandRun.of(all);
    }
}
