package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ShipPreviewTest {
    /** A file that was not seen is absent only if everything was looked at. */
    @Test
    void saysWhetherItSawEverything(@TempDir Path temp) throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            ShippedTree.append(shipped.file("f"), new byte[7]);
            OwnPaths own = new OwnPaths(List.of());
            try (ShipPreview preview = new ShipPreview(shipped.options(List.of()), own, Clock.systemUTC())) {
                assertThat(preview.isWhole()).isFalse();
                Await.until("everything is seen", () -> {
                    try {
                        return preview.step(5);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                assertThat(preview.isWhole()).isTrue();
                assertThat(preview.bytes()).isEqualTo(7);
            }
        }
    }
}
