package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.ship.follow.Patrol;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writers that raise no event. */
@Tag("long")
class PatrolTest {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int FEW_OPEN = 4;
    private static final int STEP_MS = 500;

    @TempDir
    Path temp;

    private final ModelClock clock = new ModelClock();
    private ShippedTree shipped;

    @AfterEach
    void close() {
        shipped.close();
    }

    private void open(int openFiles) throws IOException {
        shipped = new ShippedTree(temp, openFiles);
        shipped.clock = clock;
    }

    /** Steps until everything is acknowledged, while time passes. */
    private void settle() throws IOException {
        Shipper running = shipped.shipper();
        Await.steps("the shipper settles", () -> {
            clock.advance(10);
            return ShippedTree.step(running) == 0 && running.status().riskBytes() == 0;
        });
    }

    private void pass(long ms) throws IOException {
        for (long passed = 0; passed <= ms; passed += STEP_MS) {
            clock.advance(STEP_MS);
            shipped.shipper().doWork(0);
        }
    }

    /** A second name that nobody follows raises no event of the first. */
    @ParameterizedTest
    @ValueSource(ints = {1000, FEW_OPEN})
    void whatIsWrittenThroughAnUnknownNameIsShipped(int openFiles) throws IOException {
        open(openFiles);
        for (int i = 0; i < 3 * FEW_OPEN; i++) {
            append(shipped.file("f" + i), random(1000, i));
        }
        Path outside = Files.createDirectory(temp.resolve("outside")).resolve("f");
        Files.createLink(outside, shipped.file("f0"));
        settle();
        pass(Patrol.EVERY_MS); // it is at rest
        append(outside, random(500, 99));
        pass(Patrol.LIVELY_MS);
        shipped.assertArchived();
        assertThat(shipped.shipper().status().looks().oldestMs()).isLessThan(Patrol.LIVELY_MS);
        assertThat(shipped.shipper().status().looks().overdueFiles()).isZero();
    }

    /** The last file ends between a round and the status: nobody looks for its row. */
    @Test
    void fileThatEndedIsNotOverdue() throws IOException {
        open(FEW_OPEN);
        append(shipped.file("f"), random(1000, 1));
        settle();
        ShipParts parts = shipped.shipper().parts;
        parts.versions.finish(parts.table.all().iterator().next(), LogRecord.Reason.GONE);
        long later = parts.clock.getAsLong() + 2 * Patrol.EVERY_MS;
        assertThat(parts.patrol.oldestLookMs(later)).isZero();
        assertThat(parts.patrol.overdueFiles(later)).isLessThanOrEqualTo(1);
    }

    /** Of a file at rest that is closed here a row is kept; it has an object again when something happens to it. */
    @Test
    void whatHappensToFilesAtRestIsShipped() throws IOException {
        open(FEW_OPEN);
        for (int i = 0; i < 5 * FEW_OPEN; i++) {
            append(shipped.file("f" + i), random(1000, i));
        }
        Files.createLink(shipped.file("second"), shipped.file("f0"));
        settle();
        pass(2 * Patrol.EVERY_MS);
        Shipper running = shipped.shipper();
        boolean tell = running.parts.table.volumes().getFirst().timesStores(null);
        awaitObjects(running, tell ? FEW_OPEN : 5 * FEW_OPEN);
        append(shipped.file("second"), random(100, 50));
        append(shipped.file("f1"), random(100, 51));
        Files.write(shipped.file("f2"), random(10, 52));
        Files.move(shipped.file("f3"), shipped.file("g3"));
        append(shipped.file("g3"), random(100, 53));
        Files.delete(shipped.file("f4"));
        Files.move(shipped.file("f5"), shipped.file("f6"), StandardCopyOption.REPLACE_EXISTING);
        Files.createLink(shipped.file("third"), shipped.file("f7"));
        Files.delete(shipped.file("f7"));
        settle();
        shipped.assertArchived();
        pass(2 * Patrol.EVERY_MS);
        int held = 1; // it lost a name, and the object is remembered by that
        awaitObjects(running, tell ? FEW_OPEN + held : 5 * FEW_OPEN);
        assertThat(running.status().files()).isEqualTo(5 * FEW_OPEN - 2);
    }

    /** A change in the tick of a comparison shows in no time, and the file is closed here since. */
    @Test
    void whatWasComparedTooSoonIsComparedAgain() throws IOException {
        open(FEW_OPEN);
        ModelClock times = new ModelClock();
        shipped.fileClock = times;
        for (int i = 0; i < 5 * FEW_OPEN; i++) {
            append(shipped.file("f" + i), random(1000, i));
        }
        times.advance(Files.getLastModifiedTime(shipped.file("f0")).toMillis() - times.millis());
        settle();
        Shipper running = shipped.shipper();
        pass(2 * Patrol.EVERY_MS); // for this clock no time passed
        boolean tell = running.parts.table.volumes().getFirst().timesStores(null);
        times.advance(Patrol.EVERY_MS);
        awaitObjects(running, tell ? FEW_OPEN : 5 * FEW_OPEN);
        shipped.assertArchived();
    }

    /** Waits for the comparisons of files that were not written back yet; others do them. */
    private void awaitObjects(Shipper running, int most) {
        Await.steps("files at rest give up their objects", () -> {
            clock.advance(STEP_MS);
            ShippedTree.step(running);
            return running.parts.table.objects().size() <= most;
        });
    }

    private int longestWaitMs() throws IOException {
        int longest = 0;
        for (int i = 0; i < 20; i++) {
            pass(0);
            longest = Math.max(longest, shipped.shipper().waitMs(60_000));
        }
        return longest;
    }

    /** What the system calls cost is little beside what it costs to wake up. */
    @Test
    void filesAtRestAreLookedAtTogether() throws IOException {
        open(1000);
        for (int i = 0; i < 3 * FEW_OPEN; i++) {
            append(shipped.file("f" + i), random(1000, i));
            settle();
            pass(1000);
        }
        pass(16_000);
        assertThat(longestWaitMs()).isLessThanOrEqualTo(8_000);
        pass(2 * Patrol.EVERY_MS);
        assertThat(longestWaitMs()).isGreaterThan(7_000);
        pass(Patrol.EVERY_MS);
        assertThat(shipped.shipper().status().looks().oldestMs()).isLessThan(Patrol.EVERY_MS);
    }

    /** It ended since, and needs no look; those behind it do. */
    @Test
    void theAgeOfTheOldestLookIsOfAFileThatIsThere() throws IOException {
        open(1000);
        append(shipped.file("f0"), random(1000, 0));
        settle();
        append(shipped.file("f1"), random(1000, 1));
        settle();
        Files.delete(shipped.file("f0"));
        Shipper running = shipped.shipper();
        Await.steps("the end of the file is seen", () -> {
            ShippedTree.step(running);
            clock.advance(1);
            return running.status().files() == 1;
        });
        clock.advance(5_000); // the loop was away for so long
        ShippedTree.step(running);
        assertThat(running.status().looks().oldestMs()).isGreaterThanOrEqualTo(5_000);
    }

    @Test
    void whatIsWrittenByAsynchronousIoIsShipped() throws IOException {
        open(1000);
        append(shipped.file("f"), random(1000, 1));
        settle();
        pass(2 * Patrol.EVERY_MS);
        try (Fd writer = Fd.open(Pathname.of(shipped.file("f").toString()), Fd.O_WRONLY, 0)) {
            assertThat(ModelAsync.write(writer, random(500, 2), 1000)).isEqualTo(500);
            pass(Patrol.LIVELY_MS);
            shipped.assertArchived();
        }
    }

    @Test
    void aMappingThatMovesNoTimeIsUnverifiedUntilItIsCompared() throws IOException {
        Path base = Files.createTempDirectory(Files.isWritable(MEMORY) ? MEMORY : temp, "chagres-patrol");
        try {
            shipped = new ShippedTree(base);
            shipped.clock = clock;
            append(shipped.file("f"), random(10_000, 1));
            settle();
            try (RandomAccessFile open = new RandomAccessFile(shipped.file("f").toFile(), "rw")) {
                MappedByteBuffer mapped = open.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 10_000);
                mapped.get(5_000);
                pass(2 * Patrol.EVERY_MS);
                assertThat(shipped.shipper().status().unverifiedBytes()).isEqualTo(10_000);
                assertThat(shipped.flush().leftBytes()).isZero();
                for (int i = 0; i < 3; i++) {
                    pass(Patrol.LIVELY_MS);
                    mapped.put(5_000 + i, (byte) (mapped.get(5_000 + i) ^ 1));
                    pass(Patrol.LIVELY_MS);
                    assertThat(shipped.shipper().status().unverifiedBytes()).isEqualTo(10_000);
                    assertThat(shipped.flush().leftBytes()).isZero();
                    shipped.assertArchived();
                }
                mapped.put(0, (byte) (mapped.get(0) ^ 1));
            }
            clock.advance(1); // what was compared in the millisecond of a demand counts
            shipped.drain().assertArchived();
        } finally {
            shipped.close();
            ModelRun.remove(base);
        }
    }
}
