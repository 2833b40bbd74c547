package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.state.FileVersion;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that leave what is followed while no shipper runs. */
@Tag("long")
final class MissingFilesTest {
    @TempDir
    Path temp;

    private ShippedTree tree;

    @BeforeEach
    void open() throws IOException {
        tree = new ShippedTree(temp);
        Files.createDirectories(tree.file("l/old"));
        tree.sources = List.of(tree.source("l/*.log"));
    }

    @AfterEach
    void close() {
        tree.close();
    }

    /** Ships 5,000 bytes, stops, and lets 3,000 more come. */
    private byte[] growsUnseen(String name) throws IOException {
        byte[] all = random(8000, 1);
        append(tree.file(name), Arrays.copyOf(all, 5000));
        tree.settle().drain();
        append(tree.file(name), Arrays.copyOfRange(all, 5000, 8000));
        return all;
    }

    private List<byte[]> archivedVersions() throws IOException {
        List<byte[]> all = new ArrayList<>();
        for (FileVersion version : tree.load().versions()) {
            all.add(tree.content(version));
        }
        return all;
    }

    /** Returns what was said, but for a glob that has no name to match once all were moved away. */
    private List<String> problems() {
        return tree.problems.stream()
                .filter(each -> !each.contains("matches no name"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"l/app.log.1", "l/old/app.log.1"})
    void shipsTheTailOfWhatWasRotatedAway(String rotated) throws IOException {
        byte[] all = growsUnseen("l/app.log");
        Files.move(tree.file("l/app.log"), tree.file(rotated));
        tree.settle().drain();
        assertThat(archivedVersions()).containsExactly(all);
        assertThat(tree.archived("l/app.log")).isNull();
        tree.settle();
        assertThat(tree.shipper().status().missingFiles()).isZero();
        assertThat(problems()).isEmpty();
    }

    @Test
    void shipsTheTailThoughTheNameHasAnotherFile() throws IOException {
        tree.sources = List.of(tree.source("l/app.log"));
        byte[] all = growsUnseen("l/app.log");
        Files.move(tree.file("l/app.log"), tree.file("l/app.log.1"));
        byte[] next = random(700, 2);
        append(tree.file("l/app.log"), next);
        tree.settle().drain();
        assertThat(archivedVersions()).containsExactlyInAnyOrder(all, next);
        assertThat(tree.archived("l/app.log")).isEqualTo(next);
    }

    @Test
    void saysWhatItDoesNotFind() throws IOException {
        growsUnseen("l/app.log");
        Files.delete(tree.file("l/app.log"));
        tree.settle();
        assertThat(problems()).hasSize(1);
        assertThat(problems().getFirst()).contains("l/app.log is gone", "behind byte 5000");
        assertThat(tree.shipper().status().missingFiles()).isEqualTo(1);
        tree.drain();
        tree.problems.clear();
        tree.settle();
        assertThat(problems()).as("once").isEmpty();
        assertThat(tree.shipper().status().missingFiles()).isZero();
    }

    /** A file system was mounted late: its files are no longer missing. */
    @Test
    @Tag("it")
    void whatComesBackIsNotMissing() throws IOException {
        Requires.root();
        tree.sources = List.of(tree.source("l"));
        try (Mounted beside = Mounted.tmpfs(temp.resolve("beside"), "size=2m")) {
            Program.ok(
                    "mount",
                    "--bind",
                    beside.directory().toString(),
                    tree.file("l/old").toString());
            byte[] all = growsUnseen("l/old/app.log");
            Program.ok("umount", tree.file("l/old").toString());
            tree.settle();
            assertThat(tree.shipper().status().missingFiles()).isEqualTo(1);
            Program.ok(
                    "mount",
                    "--bind",
                    beside.directory().toString(),
                    tree.file("l/old").toString());
            try {
                tree.settle();
                assertThat(tree.archived("l/old/app.log")).isEqualTo(all);
                assertThat(tree.shipper().status().missingFiles()).isZero();
            } finally {
                tree.drain();
                Program.ok("umount", tree.file("l/old").toString());
            }
        }
    }

    /** A file that the file system no longer has is over, so that retention may expire it. */
    @Test
    @Tag("it")
    void whatIsNoMoreIsOver() throws IOException {
        Requires.root();
        growsUnseen("l/app.log");
        Files.delete(tree.file("l/app.log"));
        tree.settle().drain();
        assertThat(tree.load().versions()).singleElement().matches(FileVersion::isOver);
    }

    @Test
    void findsWhatIsFollowedUnderAnotherNameAsBefore() throws IOException {
        byte[] all = growsUnseen("l/app.log");
        Files.move(tree.file("l/app.log"), tree.file("l/app-1.log"));
        tree.settle();
        assertThat(tree.archived("l/app-1.log")).isEqualTo(all);
        assertThat(tree.shipper().status().missingFiles()).isZero();
        assertThat(problems()).isEmpty();
    }

    /** A file that was let go after it was read to its end is not looked for at each start. */
    @Test
    void forgetsWhatWasReadToItsEnd() throws IOException {
        growsUnseen("l/app.log");
        Files.move(tree.file("l/app.log"), tree.file("l/app.log.1"));
        tree.settle().drain();
        Files.delete(tree.file("l/app.log.1"));
        tree.settle();
        assertThat(problems()).isEmpty();
    }

    @Test
    @Tag("it")
    void opensByItsHandleWhatIsFarAway() throws IOException {
        Requires.root();
        byte[] all = growsUnseen("l/app.log");
        Files.move(
                tree.file("l/app.log"),
                Files.createDirectories(temp.resolve("far/away")).resolve("x"));
        tree.settle().drain();
        assertThat(archivedVersions()).containsExactly(all);
        assertThat(problems()).isEmpty();
    }
}
