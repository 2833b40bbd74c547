package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.state.FileVersion;
import io.chagres.linux.Machine;
import io.chagres.ship.follow.Patrol;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores through a mapping that only the close shows, while the kernel's queue of events is full. */
@Tag("long")
class LostEventsTest {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int LENGTH = 10_000;
    private static final int STEP_MS = 500;
    private static final int FEW_OPEN = 4;

    private final ModelClock clock = new ModelClock();
    private Path base;
    private ShippedTree shipped;
    private boolean single;

    @BeforeEach
    void open() throws IOException {
        base = Files.createTempDirectory(
                Files.isWritable(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir")), "chagres-lost");
    }

    @AfterEach
    void close() throws IOException {
        shipped.close();
        ModelRun.remove(base);
    }

    private void open(int openFiles) throws IOException {
        shipped = new ShippedTree(base, openFiles);
        shipped.clock = clock;
        if (single) {
            shipped.sources = List.of(shipped.source(
                    "f", "other0", "other1", "other2", "other3", "other4", "other5", "other6", "other7"));
        }
        append(shipped.file("f"), random(LENGTH, 1));
        for (int i = 0; i < 8; i++) {
            append(shipped.file("other" + i), random(100, i));
        }
        pass(2 * Patrol.EVERY_MS);
        assertThat(shipped.shipper().status().riskBytes()).isZero();
    }

    private void pass(long ms) throws IOException {
        for (long passed = 0; passed <= ms; passed += STEP_MS) {
            clock.advance(STEP_MS);
            shipped.shipper().doWork(0);
        }
    }

    /** Fills the queue, so that what happens next raises no event. */
    private void fillQueue() throws IOException {
        long most = Long.parseLong(Machine.read("/proc/sys/fs/inotify/max_queued_events"));
        try (OutputStream one = Files.newOutputStream(shipped.file("other0"), StandardOpenOption.APPEND);
                OutputStream two = Files.newOutputStream(shipped.file("other1"), StandardOpenOption.APPEND)) {
            for (long i = 0; i <= most / 2; i++) { // equal events in a row are one
                one.write('\n');
                two.write('\n');
            }
        }
    }

    private void store() throws IOException {
        try (Arena arena = Arena.ofConfined();
                FileChannel channel =
                        FileChannel.open(shipped.file("f"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena);
            mapped.set(ValueLayout.JAVA_BYTE, 5_000, (byte) ~mapped.get(ValueLayout.JAVA_BYTE, 5_000));
        }
    }

    @Test
    void aStoreWhoseCloseWasNotToldIsShipped() throws IOException {
        open(1000);
        Shipper running = shipped.shipper();
        Await.steps(
                "all is proven",
                () -> { // comparisons run beside the clock of the test
                    clock.advance(STEP_MS);
                    ShippedTree.step(running);
                    return running.status().unverifiedBytes() == 0;
                });
        fillQueue();
        store();
        Await.steps("the store may have changed all bytes", () -> {
            clock.advance(10);
            ShippedTree.step(running);
            return running.status().unverifiedBytes() >= LENGTH;
        });
        pass(2 * Patrol.EVERY_MS);
        shipped.drain().assertArchived();
    }

    /** Expects what the file held last in the archive, or that it is named as lost. */
    private void assertNothingUntold(byte[] last) throws IOException {
        pass(2 * Patrol.EVERY_MS);
        boolean isNamed = shipped.shipper().status().lost().files() > 0;
        shipped.end();
        List<byte[]> archived = new ArrayList<>();
        for (FileVersion version : shipped.load().versions()) {
            archived.add(shipped.content(version));
        }
        if (!isNamed) {
            assertThat(archived).contains(last);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, FEW_OPEN})
    void aStoreBeforeItsNameWentUntoldIsShipped(int openFiles) throws IOException {
        removedUntold(openFiles);
    }

    /** The directory of a file that is named singly is watched for its name. */
    @ParameterizedTest
    @ValueSource(ints = {1000, FEW_OPEN})
    void aStoreBeforeTheNameOfAFileThatIsNamedSinglyWentUntoldIsShipped(int openFiles) throws IOException {
        single = true;
        removedUntold(openFiles);
    }

    private void removedUntold(int openFiles) throws IOException {
        open(openFiles);
        fillQueue();
        store();
        byte[] last = Files.readAllBytes(shipped.file("f"));
        Files.delete(shipped.file("f"));
        assertNothingUntold(last);
    }

    /** So is the one above it for the name of that directory. */
    @ParameterizedTest
    @ValueSource(ints = {1000, FEW_OPEN})
    void aStoreBeforeTheDirectoryOfAFileThatIsNamedSinglyWentUntoldIsShipped(int openFiles) throws IOException {
        single = true;
        open(openFiles);
        fillQueue();
        store();
        byte[] last = Files.readAllBytes(shipped.file("f"));
        Path away = base.resolve("away");
        Files.move(shipped.tree, away);
        Files.createDirectory(shipped.tree);
        assertNothingUntold(last);
    }

    /** No event names the file behind its name. */
    @ParameterizedTest
    @ValueSource(ints = {1000, FEW_OPEN})
    void aStoreBehindTheNameOfAFileIsShipped(int openFiles) throws IOException {
        open(openFiles);
        byte[] last = Files.readAllBytes(shipped.file("f"));
        last[5_000] = (byte) ~last[5_000];
        try (Arena arena = Arena.ofConfined();
                FileChannel channel =
                        FileChannel.open(shipped.file("f"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena);
            pass(2 * Patrol.EVERY_MS);
            Files.delete(shipped.file("f"));
            mapped.set(ValueLayout.JAVA_BYTE, 5_000, last[5_000]);
        }
        assertNothingUntold(last);
    }

    /** The queue has room: the events tell that it was closed, and then that it went. */
    @ParameterizedTest
    @ValueSource(ints = {1000, FEW_OPEN})
    void aStoreThatWasToldIsShipped(int openFiles) throws IOException {
        open(openFiles);
        store();
        byte[] last = Files.readAllBytes(shipped.file("f"));
        Files.delete(shipped.file("f"));
        assertNothingUntold(last);
    }
}
