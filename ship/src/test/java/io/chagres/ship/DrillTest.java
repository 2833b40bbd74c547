package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A drill says what a drain would take, and does nothing of it. */
final class DrillTest {
    @TempDir
    Path temp;

    @Test
    void saysWhatADrainWouldTakeAndCommitsNothing() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            ShippedTree.append(shipped.file("f"), "line\n".repeat(1000).getBytes(StandardCharsets.UTF_8));
            shipped.settle();
            long commits = shipped.shipper().status().commits();
            DrainForecast forecast = shipped.drillUntil(each -> each.why().isEmpty()); // it is compared by then
            assertThat(forecast.durationMs()).isNotNegative();
            assertThat(forecast.bytes()).isZero();
            assertThat(forecast.commitBytes()).isEqualTo(5000);
            assertThat(forecast.scanMs()).isNotNegative();
            assertThat(shipped.shipper().status().commits()).isEqualTo(commits);
        }
    }

    @Test
    void countsWhatWaitsForItsLag() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            shipped.maxLagMs = 3_600_000;
            ShippedTree.append(shipped.file("f"), "line\n".getBytes(StandardCharsets.UTF_8));
            shipped.flush();
            ShippedTree.append(shipped.file("f"), "more\n".repeat(10).getBytes(StandardCharsets.UTF_8));
            DrainForecast forecast = shipped.drillUntil(each -> each.bytes() == 50);
            assertThat(forecast.why()).as("one commit held 5 bytes").contains("more is at risk than one commit held");
            assertThat(shipped.archived("f")).hasSize(5);
        }
    }

    @Test
    void isUnknownWhileTheStoreRefuses() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            shipped.settle();
            shipped.refuses = true;
            ShippedTree.append(shipped.file("f"), "line\n".getBytes(StandardCharsets.UTF_8));
            DrainForecast forecast = shipped.drillUntil(each -> !each.trouble().isEmpty());
            assertThat(forecast.durationMs()).isEqualTo(-1);
            assertThat(forecast.why()).contains("the store refuses since", "no space left");
            assertThat(forecast.isSafeWithin(Long.MAX_VALUE)).isFalse();
        }
    }
}
