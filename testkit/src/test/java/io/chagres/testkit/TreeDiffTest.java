package io.chagres.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class TreeDiffTest {
    @TempDir
    Path directory;

    private Path source;
    private Path restored;

    @BeforeEach
    void twoEqualTrees() throws IOException {
        source = tree("source");
        restored = tree("restored");
    }

    private Path tree(String name) throws IOException {
        Path tree = directory.resolve(name);
        Files.createDirectories(tree.resolve("below"));
        Files.writeString(tree.resolve("file"), "content");
        Files.writeString(tree.resolve("below/other"), "content");
        Files.createLink(tree.resolve("below/same"), tree.resolve("file"));
        Files.createSymbolicLink(tree.resolve("link"), Path.of("nowhere"));
        Files.setLastModifiedTime(tree.resolve("file"), FileTime.fromMillis(1_000_000));
        Files.setLastModifiedTime(tree.resolve("below/other"), FileTime.fromMillis(2_000_000));
        return tree;
    }

    private List<String> differences() {
        return TreeDiff.of(source, restored, path -> true);
    }

    @Test
    void equalTreesDoNotDiffer() {
        assertThat(differences()).isEmpty();
    }

    @Test
    void contentTimesAndNamesAreCompared() throws IOException {
        Files.writeString(restored.resolve("below/other"), "contemt");
        Files.delete(restored.resolve("link"));
        Files.createDirectory(restored.resolve("more"));

        assertThat(differences())
                .contains("link is missing", "more was never there", "below/other differs at 5: 7 bytes, were 7")
                .anyMatch(line -> line.startsWith("below/other has modification time"));
    }

    @Test
    void kindsPermissionsAndTargetsAreCompared() throws IOException {
        Files.setPosixFilePermissions(restored.resolve("file"), PosixFilePermissions.fromString("rwx------"));
        Files.delete(restored.resolve("link"));
        Files.createSymbolicLink(restored.resolve("link"), Path.of("elsewhere"));
        Files.delete(restored.resolve("below/other"));
        Files.createDirectory(restored.resolve("below/other"));

        assertThat(differences())
                .contains("link has target elsewhere, had nowhere", "below/other is a directory, was a file")
                .anyMatch(line -> line.startsWith("file has permissions 700"));
    }

    @Test
    void hardLinksAreCompared() throws IOException {
        FileTime time = Files.getLastModifiedTime(restored.resolve("file"));
        Files.delete(restored.resolve("below/same"));
        Files.copy(restored.resolve("file"), restored.resolve("below/same"));
        Files.setLastModifiedTime(restored.resolve("below/same"), time);

        assertThat(differences()).containsExactly("hard links are [], were [[below/same, file]]");
    }

    @Test
    void irrelevantPathsAreNot() throws IOException {
        Files.writeString(restored.resolve("below/other"), "contemt");

        assertThat(TreeDiff.of(source, restored, path -> !path.equals("below/other")))
                .isEmpty();
    }
}
