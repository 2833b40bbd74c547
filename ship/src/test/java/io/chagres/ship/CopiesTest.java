package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

    /** The bytes before the position are zeros in both, so only a comparison of everything shows the difference. */
    @Test
    void aFileThatEndsInZerosIsCopiedOverAnOlderCopy() throws IOException {
        Path log = shipped.file("f10");
        Path copy = shipped.file("f10.1");
        append(log, random(100_000, 1));
        append(log, new byte[70_000]);
        copyOver(log, copy);
        shipped.drain();
        shipped.settle();
        truncate(log);
        append(log, random(130_000, 2));
        append(log, new byte[70_000]);
        copyOver(log, copy);
        shipped.drain().assertArchived();
    }

    /** logrotate's extension puts what counts before the suffix, its olddir into another directory. */
    @Test
    void aCopyIsFoundByItsContent() throws IOException {
        Path log = shipped.file("app.log");
        append(log, random(600_000, 1));
        shipped.settle();
        Files.createDirectory(shipped.file("old"));
        copyOver(log, shipped.file("old/app-1.log"));
        truncate(log);
        append(log, random(1000, 2));
        shipped.settle();
        copyOver(shipped.file("old/app-1.log"), shipped.file("another"));
        shipped.drain().assertArchived();
        assertThat(shipped.storedBytes()).isEqualTo(601_000);
    }

    /** What was recorded before the shipper was killed is a copy; the rest is one as well. */
    @Test
    void aCopyGoesOnWhereAKilledShipperLeftIt() throws IOException {
        Path log = shipped.file("app.log");
        byte[] bytes = random(3_000_000, 1);
        append(log, bytes);
        shipped.settle();
        Path copy = shipped.file("another");
        append(copy, Arrays.copyOf(bytes, 1_000_000));
        shipped.settle();
        shipped.end();
        append(copy, Arrays.copyOfRange(bytes, 1_000_000, bytes.length));
        shipped.drain().assertArchived();
        assertThat(shipped.storedBytes()).isEqualTo(bytes.length);
    }

    @Test
    void theLoopReadsNothingOfTheStore() throws IOException {
        try (ExecutorService workers = Executors.newSingleThreadExecutor()) {
            shipped.workers = workers;
            Path log = shipped.file("app.log");
            append(log, random(600_000, 1));
            shipped.settle();
            shipped.readsHere.set(0);
            copyOver(log, shipped.file("app.log.1"));
            truncate(log);
            append(log, random(10_000, 2));
            shipped.settle();
            Files.write(shipped.file("app.log.1"), random(10, 3), StandardOpenOption.WRITE);
            shipped.drain();
            assertThat(shipped.readsHere).hasValue(0);
            shipped.assertArchived();
            assertThat(shipped.readsHere.get()).isPositive();
        }
    }

    /** The archive knows the name that the file has again when the first scan ends. */
    @Test
    void aFileGetsItsNameBackDuringTheFirstScan() throws IOException {
        Path log = shipped.file("b");
        append(log, random(10, 1));
        shipped.settle();
        Path other = shipped.file("a");
        Files.move(log, other);
        shipped.end();
        Shipper running = shipped.shipper();
        running.doWork(0);
        Files.move(other, log);
        shipped.drain().assertArchived();
    }
}
