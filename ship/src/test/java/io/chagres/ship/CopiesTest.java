package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are copied within what is shipped, as logrotate's copytruncate does. */
class CopiesTest {
    @TempDir
    Path temp;

    private ShippedTree shipped;

    @BeforeEach
    void open() throws IOException {
        shipped = new ShippedTree(temp);
    }

    @AfterEach
    void close() {
        shipped.close();
    }

    private static void copyOver(Path from, Path to) throws IOException {
        Files.write(to, Files.readAllBytes(from), StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.CREATE);
    }

    private static void truncate(Path file) throws IOException {
        Files.write(file, new byte[0]);
    }

    /** The version of the copy is older than that of its source. */
    @Test
    void aFileIsCopiedOverAnOlderEmptyOne() throws IOException {
        Path log = shipped.file("app.log");
        Path copy = shipped.file("app.log.1");
        truncate(copy);
        shipped.settle();
        append(log, random(1_300_000, 1));
        shipped.settle();
        copyOver(log, copy);
        truncate(log);
        shipped.settle();
        append(log, random(1000, 2));
        shipped.drain().assertArchived();
        append(log, random(1000, 3));
        shipped.drain().assertArchived();
    }
}
