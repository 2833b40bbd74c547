package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A first start that does not ship the past. */
@Tag("long")
final class OldFilesTest {
    private static final FileTime LONG_AGO = FileTime.fromMillis(1_000_000_000_000L);

    @TempDir
    Path temp;

    private ShippedTree tree;

    @BeforeEach
    void open() throws IOException {
        tree = new ShippedTree(temp);
        for (String each : List.of("old", "older", "young")) {
            append(tree.file(each), bytes(each));
        }
        Files.setLastModifiedTime(tree.file("old"), LONG_AGO);
        Files.setLastModifiedTime(tree.file("older"), LONG_AGO);
    }

    @AfterEach
    void close() {
        tree.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void ignoreOlder(long ms) {
        tree.sources = List.of(new Source(List.of(tree.tree.toString()), List.of(), List.of(), 1, Codec.ZSTD, ms));
    }

    @Test
    void leavesOutWhatIsOldUntilItIsWritten() throws IOException {
        ignoreOlder(3_600_000);
        tree.settle();
        assertThat(tree.archived("old")).isNull();
        assertThat(tree.archived("older")).isNull();
        assertThat(tree.archived("young")).isEqualTo(bytes("young"));
        assertThat(tree.problems)
                .singleElement()
                .asString()
                .contains(tree.file("old") + " and 1 more are left out", "--ignore-older");
        assertThat(tree.shipper().status().leftOutFiles()).isEqualTo(2);
        append(tree.file("old"), bytes(" and new"));
        tree.settle();
        assertThat(tree.archived("old")).isEqualTo(bytes("old and new"));
        assertThat(tree.archived("older")).isNull();
    }

    @Test
    void leavesOutWhatIsRenamedAndStaysOld() throws IOException {
        ignoreOlder(3_600_000);
        tree.settle();
        Files.move(tree.file("old"), tree.file("moved"), StandardCopyOption.ATOMIC_MOVE);
        tree.settle();
        assertThat(tree.archived("moved")).isNull();
        assertThat(tree.archived("old")).isNull();
    }

    @Test
    void goesOnWithWhatTheArchiveHas() throws IOException {
        ignoreOlder(0);
        tree.settle();
        assertThat(tree.archived("old")).isEqualTo(bytes("old"));
        tree.end();
        ignoreOlder(3_600_000);
        tree.settle();
        assertThat(tree.problems).isEmpty();
        assertThat(tree.archived("old")).isEqualTo(bytes("old"));
    }
}
