package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are copied within what is shipped, as logrotate's copytruncate does. */
@Tag("long")
@Order(1)
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

    /** One of its copies gives the end of a file that was cut: not half of it one copy, and half the other. */
    @Test
    void ofTwoCopiesOneTellsTheEndOfWhatWasTruncated() throws IOException {
        Path log = shipped.file("app.log");
        append(log, random(5000, 1));
        shipped.settle();
        append(log, random(177, 2));
        Path first = shipped.file("app.log.1");
        Files.copy(log, first);
        append(log, random(28_505, 3));
        byte[] longest = Files.readAllBytes(log);
        Path second = shipped.file("app.log.2");
        Files.copy(log, second);
        truncate(log);
        shipped.settle().drain();

        for (FileVersion version : shipped.load().versions()) {
            byte[] archived = shipped.content(version); // which compares checksums
            assertThat(archived).isEqualTo(Arrays.copyOf(longest, archived.length));
        }
        shipped.assertArchived();
    }

    private static void sparse(Path file, long hole) throws IOException {
        append(file, random(10_000, 1));
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(hole);
        }
        append(file, random(10_000, 2));
    }

    /** Holes are neither compared nor recorded piece by piece: they may be longer than anybody can read. */
    @Test
    void holesAreLeaptWhenFilesAreCompared() throws IOException {
        long hole = 1L << 42;
        Path first = shipped.file("first");
        sparse(first, hole);
        shipped.settle();
        Path second = shipped.file("second");
        sparse(second, hole);
        Files.setLastModifiedTime(first, FileTime.fromMillis(1_000_000_000_000L)); // it is compared again
        shipped.drain();

        HostState state = shipped.load();
        for (Path each : List.of(first, second)) {
            FileVersion version =
                    state.names().find(Pathname.of(each.toString())).version();
            assertThat(version.length()).isEqualTo(hole + 10_000);
            assertThat(version.extents()).hasSizeLessThan(10);
        }
        assertThat(state.versions()).hasSize(2);
        assertThat(shipped.storedBytes()).isLessThan(30_000);
        Files.write(first, new byte[] {1}, StandardOpenOption.APPEND);
        try (RandomAccessFile open = new RandomAccessFile(first.toFile(), "rw")) {
            open.seek(hole / 2);
            open.write(1);
        }
        shipped.drain();
        assertThat(shipped.load().versions()).hasSize(3); // what was a hole no longer is one
    }

    /** Where recording copies would make a log that nobody reads, every byte is stored. */
    @Test
    void copiesAreStoredAgainWhenNobodyLooksForThem() throws IOException {
        shipped.copies = false;
        Path log = shipped.file("app.log");
        append(log, random(1_300_000, 1));
        shipped.settle();
        copyOver(log, shipped.file("app.log.1"));
        truncate(log);
        append(log, random(1000, 2));
        shipped.drain().assertArchived();
        assertThat(shipped.storedBytes()).isEqualTo(2 * 1_300_000 + 1000);
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

    /** The part that was recorded before the shipper was killed is a copy; the rest is one as well. */
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

    /** Bytes that were written between the last look at a file and its truncation are in the copy alone. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20})
    void aTruncatedFileEndsWithWhatItsCopyHas(int coalesceMs) throws IOException {
        shipped.coalesceMs = coalesceMs;
        Path log = shipped.file("app.log");
        long bytes = 0;
        for (int round = 0; round < 3; round++) {
            byte[] first = random(600_000 + round, round);
            byte[] last = random(2_000_000 + round, 10 + round);
            append(log, first);
            shipped.settle();
            append(log, last); // nobody looks before it is copied and truncated
            copyOver(log, shipped.file("app.log." + round));
            truncate(log);
            append(log, random(100, 20 + round));
            shipped.settle();
            truncate(log);
            shipped.settle();
            byte[] whole = Arrays.copyOf(first, first.length + last.length);
            System.arraycopy(last, 0, whole, first.length, last.length);
            assertThat(truncatedContents()).anyMatch(content -> Arrays.equals(content, whole));
            bytes += whole.length + 100;
        }
        shipped.drain().assertArchived();
        assertThat(shipped.storedBytes()).isEqualTo(bytes);
        shipped.settle().end(); // the archive can be read, and is gone on with
    }

    /**
     * Killed after any number of requests and comparisons, the next shipper knows what was cut and what the copy has of
     * it.
     */
    @ParameterizedTest
    @ValueSource(strings = {"app.log.1", "app-1.log"})
    void aTruncatedFileEndsWithWhatItsCopyHasWhereverTheShipperIsKilled(String copy) throws IOException {
        byte[] whole = random(1_500_000, 1);
        List<Integer> lost = new ArrayList<>();
        for (int tasks = 0, ran = 0; ran == tasks - 1 || tasks == 0; tasks++) {
            try (ShippedTree killed = new ShippedTree(Files.createDirectory(temp.resolve("after" + tasks)))) {
                Path log = killed.file("app.log");
                append(log, Arrays.copyOf(whole, 600_000));
                killed.settle();
                Deque<Runnable> held = new ArrayDeque<>();
                killed.workers = held::add;
                killed.end();
                killed.shipper(); // which has read nothing of the file itself
                append(log, Arrays.copyOfRange(whole, 600_000, whole.length));
                copyOver(log, killed.file(copy));
                truncate(log);
                ran = stepTasks(killed, held, tasks);
                killed.end();
                killed.workers = Runnable::run;
                killed.drain().assertArchived();
                boolean isWhole = killed.load().versions().stream()
                        .anyMatch(version ->
                                version.state() == FileVersion.State.TRUNCATED && version.length() == whole.length);
                if (!isWhole) {
                    lost.add(tasks);
                }
            }
        }
        assertThat(lost).isEmpty();
    }

    /** Runs at most some tasks, and returns how many there were. */
    private static int stepTasks(ShippedTree shipped, Deque<Runnable> held, int most) throws IOException {
        int ran = 0;
        for (int idle = 0; idle < 50; idle++) {
            idle = shipped.shipper().doWork(1) > 0 ? 0 : idle;
            if (ran < most && !held.isEmpty()) {
                held.removeFirst().run();
                ran++;
                idle = 0;
            }
        }
        return ran;
    }

    private List<byte[]> truncatedContents() throws IOException {
        List<byte[]> contents = new ArrayList<>();
        for (FileVersion version : shipped.load().versions()) {
            if (version.state() == FileVersion.State.TRUNCATED) {
                contents.add(shipped.content(version));
            }
        }
        return contents;
    }

    /** A version that ended long ago may be gone from the archive. */
    @ParameterizedTest
    @CsvSource({"1, 1500", "11, 1000"})
    void aCopyThatComesTooLateIsNoWitness(int hours, int length) throws IOException {
        ModelClock clock = new ModelClock();
        shipped.clock = clock;
        Path log = shipped.file("app.log");
        append(log, random(1000, 1));
        rest(clock);
        append(log, random(500, 2));
        Path aside = temp.resolve("aside");
        Files.copy(log, aside, StandardCopyOption.COPY_ATTRIBUTES);
        truncate(log);
        rest(clock);
        clock.advance(hours * 3_600_000L);
        Files.move(aside, shipped.file("app.log.1"));
        rest(clock);
        assertThat(truncatedContents()).singleElement().satisfies(content -> assertThat(content)
                .hasSize(length));
    }

    private void rest(ModelClock clock) throws IOException {
        for (int i = 0; i < 100; i++) {
            clock.advance(500);
            shipped.shipper().doWork(0);
        }
    }

    /** While it waits for what it may be a copy of, it is written anew: it is known by what was shipped. */
    @Test
    void aFileIsWrittenAnewBeforeItIsShipped() throws IOException {
        List<Runnable> held = new ArrayList<>();
        boolean[] holds = {false};
        shipped.workers = task -> {
            if (holds[0]) {
                held.add(task);
            } else {
                task.run();
            }
        };
        Path log = shipped.file("app.log");
        append(log, random(50_000, 1));
        shipped.settle();
        holds[0] = true;
        append(shipped.file("other"), random(10_000, 2));
        steps();
        Files.write(log, random(10_000, 2));
        steps();
        Files.write(log, random(8_000, 3));
        steps();
        holds[0] = false;
        held.forEach(Runnable::run);
        shipped.settle();
        copyOver(log, shipped.file("copy"));
        shipped.drain().assertArchived();
        assertThat(shipped.storedBytes()).isEqualTo(68_000);
    }

    private void steps() throws IOException {
        for (int i = 0; i < 20; i++) {
            shipped.shipper().doWork(1);
        }
    }

    /** Bytes that are written during the copying are in both files, and are stored once. */
    @Test
    void aFileGrowsWhileItIsCopied() throws IOException {
        Path log = shipped.file("app.log");
        Path copy = shipped.file("app-1.log");
        append(log, random(600_000, 1));
        shipped.settle();
        try (OutputStream copying = Files.newOutputStream(copy)) {
            copying.write(random(600_000, 1));
            for (int i = 2; i < 6; i++) {
                append(log, random(100_000, i));
                copying.write(random(100_000, i));
                for (int step = 0; step < i; step++) {
                    shipped.shipper().doWork(1);
                }
            }
            append(log, random(10_000, 6));
            copying.write(random(10_000, 6));
        }
        truncate(log);
        shipped.settle();
        append(log, random(1000, 7));
        shipped.drain().assertArchived();
        assertThat(truncatedContents()).singleElement().satisfies(content -> assertThat(content.length)
                .isEqualTo(1_010_000));
        assertThat(shipped.storedBytes()).isEqualTo(1_011_000);
    }

    /** A copy that continues with bytes of its own proves nothing about what its truncated original lost. */
    @Test
    void aCopyThatHasBytesOfItsOwnIsNoWitness() throws IOException {
        Path log = shipped.file("app.log");
        Path copy = shipped.file("other");
        append(log, random(600_000, 1));
        shipped.settle();
        copyOver(log, copy);
        truncate(log);
        Files.setLastModifiedTime(log, FileTime.fromMillis(1));
        append(copy, random(1000, 2));
        shipped.drain().assertArchived();
        assertThat(truncatedContents()).singleElement().satisfies(content -> assertThat(content.length)
                .isEqualTo(600_000));
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
