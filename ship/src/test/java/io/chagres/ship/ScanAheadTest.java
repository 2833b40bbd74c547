package io.chagres.ship;

import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.ship.file.Tail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are not shipped yet take memory, so no more of them are looked for than can be shipped. */
@Tag("long")
class ScanAheadTest {
    private static final int FILES = 6000;
    private static final int LARGE_FILES = 30;
    private static final int LARGE_BYTES = 200_000;
    private static final int STEPS = 30;
    private static final long LONG_MS = 11_000;

    @TempDir
    Path temp;

    private final Queue<Runnable> held = new ArrayDeque<>();
    private long nowMs = Clock.systemUTC().millis();

    private ShippedTree tree() throws IOException {
        ShippedTree shipped = new ShippedTree(temp);
        InstantSource steps = () -> Instant.ofEpochMilli(nowMs);
        shipped.clock = steps.withZone(ZoneOffset.UTC); // a commit takes no longer because the machine is slow
        for (int i = 0; i < LARGE_FILES; i++) {
            Files.write(shipped.file("large" + i), random(LARGE_BYTES, i));
        }
        for (int i = 0; i < FILES; i++) {
            Path directory = shipped.file("d" + i % 3);
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("f" + i), "line\n");
        }
        return shipped;
    }

    private void step(Shipper running) throws IOException {
        running.doWork(0);
        nowMs += 2;
    }

    @Test
    void waitsWhileTheStoreIsAboutToTakeACommit() throws IOException {
        try (ShippedTree shipped = tree()) {
            shipped.workers = held::add;
            Shipper running = shipped.shipper();
            running.parts.files.mostReady = 10;
            for (int i = 0; i < STEPS; i++) {
                step(running);
            }
            assertThat(running.parts.table.size()).isLessThan(FILES / 2);
            nowMs += LONG_MS;
            for (int i = 0; i < STEPS; i++) {
                step(running);
            }
            assertThat(running.parts.table.size()).isEqualTo(FILES + LARGE_FILES);
            while (running.status().files() < FILES + LARGE_FILES
                    || running.status().riskBytes() != 0) {
                step(running);
                for (Runnable each = held.poll(); each != null; each = held.poll()) {
                    each.run();
                }
            }
        }
    }

    @Test
    void continuesWhileTheStoreRefuses() throws IOException {
        try (ShippedTree shipped = tree()) {
            Shipper running = shipped.shipper();
            shipped.refuses = true;
            running.parts.files.mostReady = 10;
            for (int i = 0; i < STEPS; i++) {
                step(running);
            }
            assertThat(running.parts.table.size()).isEqualTo(FILES + LARGE_FILES);
        }
    }

    /** What is known of each file until its commit is acknowledged is a multiple of what is kept then. */
    @Test
    void aCommitHasNotMoreFilesThanMemoryIsFor() throws IOException {
        try (ShippedTree shipped = tree()) {
            Shipper running = shipped.shipper();
            running.parts.pipeline.mostFiles = 50;
            while (running.status().files() < FILES + LARGE_FILES
                    || running.status().riskBytes() != 0) {
                step(running);
            }
            assertThat(running.parts.pipeline.commits()).isGreaterThanOrEqualTo(FILES / 50);
        }
    }

    @Test
    void filesRestAsSoonAsTheyAreAcknowledged() throws IOException {
        try (ShippedTree shipped = tree()) {
            shipped.fileClock = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(1));
            Shipper running = shipped.shipper();
            for (int i = 0; i < STEPS; i++) {
                step(running); // too few for a status, which would look for them
            }
            assertThat(running.parts.table.all().stream().filter(Tail::isResting))
                    .hasSizeGreaterThan(FILES / 4);
        }
    }
}
