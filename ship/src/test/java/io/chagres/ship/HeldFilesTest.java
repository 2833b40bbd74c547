package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.state.FileVersion;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What removed files may occupy while a store is away. */
final class HeldFilesTest {
    private static final int BYTES = 4_000_000;

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

    private ShipStatus rest() throws IOException {
        for (int i = 0; i < 20; i++) {
            clock.advance(500);
            ShippedTree.step(shipped.shipper());
        }
        return shipped.shipper().status();
    }

    private void removeEach(String... names) throws IOException {
        for (String each : names) {
            append(shipped.file(each), random(BYTES, each.hashCode()));
        }
        rest();
        for (String each : names) {
            Files.delete(shipped.file(each));
            rest();
        }
    }

    private List<Long> lengths() throws IOException {
        return shipped.load().versions().stream()
                .map(FileVersion::length)
                .sorted()
                .toList();
    }

    @Test
    void givesUpWhatWasRemovedFirstAndCountsIt() throws IOException {
        shipped.shipper().hold(9_000_000);
        rest();
        shipped.refuses = true;
        removeEach("a", "b", "c");
        Await.until("one is given up", () -> rest().lost().files() == 1);
        ShipStatus status = rest();
        assertThat(status.lost().latest()).containsExactly(shipped.file("a").toString());
        assertThat(status.lost().bytes()).isEqualTo(BYTES);
        assertThat(shipped.problems)
                .filteredOn(each -> each.contains("--hold"))
                .singleElement()
                .asString()
                .contains(shipped.file("a") + " was removed", "its " + BYTES + " bytes behind byte 0 are given up");
        shipped.refuses = false;
        Await.until("the others are shipped", () -> rest().riskBytes() == BYTES); // what is lost stays at risk
        assertThat(lengths()).containsExactly(0L, (long) BYTES, (long) BYTES);
    }

    @Test
    void givesUpNothingThatSomebodyStillHasOpenOrThatHasAName() throws IOException {
        shipped.shipper().hold(1);
        rest();
        shipped.refuses = true;
        append(shipped.file("named"), random(BYTES, 1));
        append(shipped.file("written"), random(BYTES, 2));
        try (OutputStream _ = Files.newOutputStream(shipped.file("written"), StandardOpenOption.APPEND)) {
            rest();
            Files.delete(shipped.file("written"));
            assertThat(rest().lost()).isEqualTo(Lost.NOTHING);
        }
        // a process that another test starts has the descriptor for a moment too
        Await.until("nobody has it open", () -> rest().lost().files() > 0);
        assertThat(rest().lost().latest())
                .containsExactly(shipped.file("written").toString());
    }

    @Test
    void givesUpNothingWithoutABound() throws IOException {
        rest();
        shipped.refuses = true;
        removeEach("a", "b", "c");
        assertThat(rest().lost()).isEqualTo(Lost.NOTHING);
    }
}
