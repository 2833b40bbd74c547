package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that lost their last name while a writer has them open. */
@Tag("long")
class NamelessFilesTest {
    private static final int STEPS = 400;

    @TempDir
    Path temp;

    private final ModelClock clock = new ModelClock();
    private ShippedTree shipped;

    @BeforeEach
    void open() throws IOException {
        shipped = new ShippedTree(temp);
        shipped.clock = clock;
    }

    @AfterEach
    void close() {
        shipped.close();
    }

    /** Makes many steps, some minutes apart in all; returns the work of the last half. */
    private int rest() {
        int work = 0;
        for (int i = 0; i < STEPS; i++) {
            clock.advance(500);
            int done = step();
            work += i < STEPS / 2 ? 0 : done;
        }
        return work;
    }

    private int step() {
        try {
            return shipped.shipper().doWork(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The zeros at its end may be no data yet, and the writer may never say so. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileThatEndsInZerosComesToRest(boolean renamedOver) throws IOException {
        Path file = shipped.file("preallocated");
        try (OutputStream writer = Files.newOutputStream(file)) {
            writer.write(random(10_000, 1));
            writer.write(new byte[10_000]);
            rest();
            if (renamedOver) {
                append(shipped.file("next"), random(10, 2));
                Files.move(shipped.file("next"), file, StandardCopyOption.REPLACE_EXISTING);
            } else {
                Files.delete(file);
            }
            Await.until("it comes to rest", () -> rest() == 0); // it is compared once the disk has its pages
            assertThat(shipped.shipper().status().heldBackBytes()).isEqualTo(10_000);
        }
        rest();
        assertThat(shipped.load().versions()).anyMatch(version -> version.length() == 20_000);
    }

    @Test
    void aWriterThatIsQuietForLongIsHeardAgain() throws IOException {
        Path file = shipped.file("app.log");
        try (OutputStream writer = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            writer.write(random(1000, 1));
            rest();
            Files.delete(file);
            rest();
            writer.write(random(1000, 2));
            rest();
        }
        rest();
        assertThat(shipped.load().versions()).allMatch(version -> version.length() == 2000);
    }

    /** Each is compared once more where its times do not prove what was read of it: many in each step. */
    @Test
    void manyThatAreGoneAreLetGoSoon() throws IOException {
        int files = 400;
        List<OutputStream> writers = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            writers.add(Files.newOutputStream(shipped.file("job" + i)));
            writers.getLast().write(random(200, i));
        }
        for (int i = 0; i < 40; i++) {
            clock.advance(500);
            step();
        }
        for (int i = 0; i < files; i++) {
            writers.get(i).close();
            Files.delete(shipped.file("job" + i));
        }
        int steps = 0;
        for (; shipped.shipper().status().files() > 0 && steps < files; steps++) {
            clock.advance(500);
            step();
        }
        assertThat(steps).isLessThan(files / 4);
    }
}
