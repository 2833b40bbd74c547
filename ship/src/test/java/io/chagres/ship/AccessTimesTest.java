package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading a file to ship it is no access that anybody wants to know of, and writing its time down costs the disk. */
class AccessTimesTest {
    private static final FileTime LONG_AGO = FileTime.fromMillis(1_000_000_000_000L);
    private static final byte[] LINE = "line\n".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path temp;

    @Test
    void staysWhatItWas() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            append(tree.file("a"), LINE);
            // older than the file: the next access would be noted on any mount that notes some
            Files.setAttribute(tree.file("a"), "lastAccessTime", LONG_AGO);
            tree.settle();
            assertThat(tree.archived("a")).isEqualTo(LINE);
            assertThat(Files.getAttribute(tree.file("a"), "lastAccessTime")).isEqualTo(LONG_AGO);
        }
    }
}
