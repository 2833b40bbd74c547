package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.log.DamagedLogException;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a flush and a stop wait for, by one rule: what is in the files then is in an archive that is there. */
@Tag("long")
class DemandTest {
    @TempDir
    private Path temp;

    private ShippedTree tree;

    @BeforeEach
    void open() throws IOException {
        tree = new ShippedTree(temp);
    }

    @AfterEach
    void close() {
        tree.close();
    }

    /** A writer that has the file open may never say that its zeros are data. */
    @Test
    void aFlushShipsZerosThatAreHeldBack() throws IOException {
        try (OutputStream writer = Files.newOutputStream(tree.file("db"))) {
            writer.write(new byte[] {1, 2, 3});
            writer.write(new byte[8189]);
            Await.steps("zeros are held back", () -> {
                ShippedTree.step(shipper());
                return shipper().status().heldBackBytes() == 8189;
            });
            assertThat(tree.flush().leftBytes()).isZero();
            tree.assertArchived();
            writer.write(new byte[100]); // the shipper continues, and holds back what comes then
            Await.steps("new zeros are held back", () -> {
                ShippedTree.step(shipper());
                return shipper().status().heldBackBytes() == 100;
            });
        }
    }

    @Test
    void aStopShipsThem() throws IOException {
        try (OutputStream writer = Files.newOutputStream(tree.file("db"))) {
            writer.write(new byte[8189]);
            tree.drain().assertArchived();
        }
    }

    @Test
    void aFlushAsksTheStore() throws IOException {
        idle();
        Program.ok("rm", "-rf", tree.archive.toString());
        tree.shipper().requestFlush();
        assertIsNoticed();
        assertThat(tree.shipper().flushing()).isTrue(); // the next shipper answers it
    }

    @Test
    void aStopAsksTheStore() throws IOException {
        idle();
        Program.ok("rm", "-rf", tree.archive.toString());
        tree.shipper().requestDrain();
        assertIsNoticed();
        assertThat(tree.shipper().drained()).isFalse();
        assertThat(tree.shipper().status().riskBytes()).isNotZero();
    }

    /** The descriptor of the directory still leads to the old one. */
    @Test
    void aStopAsksTheArchiveThatIsThere() throws IOException {
        idle();
        Files.move(tree.archive, temp.resolve("moved"), StandardCopyOption.ATOMIC_MOVE);
        Files.createDirectory(tree.archive);
        tree.shipper().requestDrain();
        assertIsNoticed();
    }

    private void idle() throws IOException {
        Files.writeString(tree.file("log"), "line\n");
        tree.settle();
    }

    private void assertIsNoticed() {
        assertThatThrownBy(() -> Await.steps("it is noticed", () -> {
                    try {
                        shipper().doWork(5);
                        return shipper().finished();
                    } catch (DamagedLogException e) {
                        throw new IllegalStateException(e);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }))
                .hasCauseInstanceOf(DamagedLogException.class);
    }

    private Shipper shipper() {
        try {
            return tree.shipper();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
