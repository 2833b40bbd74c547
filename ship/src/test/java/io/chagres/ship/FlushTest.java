package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A flush commits what is there, however far the lag is from its end. */
@Tag("long")
class FlushTest {
    private static final int HOUR_MS = 3_600_000;

    @TempDir
    Path temp;

    /** A half line waits for a coalescing window: it is read when the scan of the flush is over. */
    @ParameterizedTest
    @ValueSource(strings = {"", "half"})
    void commitsWhatIsReadAfterItsScan(String end) throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            shipped.maxLagMs = HOUR_MS;
            shipped.coalesceMs = 50;
            shipped.settle();
            for (int round = 0; round < 3; round++) {
                String lines = (round + "line\n").repeat(10_000) + end;
                ShippedTree.append(shipped.file("f" + round), lines.getBytes(StandardCharsets.UTF_8));
                assertThat(shipped.flush().leftBytes()).isZero();
                shipped.assertArchived();
            }
        }
    }

    /** A copy waits for the commit of its original. */
    @Test
    void commitsACopyOfWhatItCommits() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            shipped.maxLagMs = HOUR_MS;
            shipped.coalesceMs = 50;
            shipped.settle();
            byte[] content = ShippedTree.random(100_000, 1);
            ShippedTree.append(shipped.file("original"), content);
            ShippedTree.append(shipped.file("copy"), content);
            assertThat(shipped.flush().leftBytes()).isZero();
            shipped.assertArchived();
        }
    }
}
