package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
                Await.until("everything is seen", () -> preview.step(5));
                assertThat(preview.isWhole()).isTrue();
                assertThat(preview.look()).isEqualTo(new ShipPreview.FileCounts(1, 7, 0, 0));
            }
        }
    }

    /** What a first start would leave out for its age is counted beside what it would follow, until it is written. */
    @Test
    void countsWhatIsLeftOutForItsAge(@TempDir Path temp) throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            ShippedTree.append(shipped.file("young"), new byte[7]);
            ShippedTree.append(shipped.file("old"), new byte[100]);
            Files.setLastModifiedTime(shipped.file("old"), FileTime.fromMillis(1_000_000_000_000L));
            Source source = new Source(
                    List.of(shipped.tree.toString()), List.of(), List.of(), 1, Codec.ZSTD, TimeUnit.DAYS.toMillis(1));
            OwnPaths own = new OwnPaths(List.of());
            try (ShipPreview preview = new ShipPreview(shipped.options(List.of(source)), own, Clock.systemUTC())) {
                Await.until("both are seen", () -> preview.step(5));
                assertThat(preview.look()).isEqualTo(new ShipPreview.FileCounts(1, 7, 1, 100));
                ShippedTree.append(shipped.file("old"), new byte[1]);
                assertThat(preview.look()).isEqualTo(new ShipPreview.FileCounts(2, 108, 0, 0));
            }
        }
    }
}
