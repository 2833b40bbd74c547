package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A drill says what a drain would take, and does nothing of it. */
@Tag("long")
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

    /** A shipper at rest sleeps for long: who asks wakes it, and so does who removes the directory of questions. */
    @Test
    void isAskedAtRest() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            ShippedTree.append(shipped.file("f"), "line\n".getBytes(StandardCharsets.UTF_8));
            shipped.settle();
            Shipper running = shipped.shipper();
            Pathname root = Pathname.of(temp.resolve("state").toString());
            Await.steps("it rests", () -> ShippedTree.step(running) == 0 && running.waitMs(60_000) > 1000);
            RunningShipper asked = RunningShipper.find(root).getFirst();
            long before = asked.drilled().count();
            asked.askDrill();
            running.doWork(60_000);
            assertThat(asked.drilled().count()).isGreaterThan(before);
            Await.steps("it rests", () -> ShippedTree.step(running) == 0 && running.waitMs(60_000) > 1000);
            Files.move(temp.resolve("state"), temp.resolve("gone"));
            Path host = only(temp.resolve("gone"));
            Files.move(host, temp.resolve("moved"));
            running.doWork(60_000);
            assertThat(running.waitMs(60_000)).isLessThan(1000);
            Await.steps("it is found again", () -> {
                ShippedTree.step(running);
                return Files.exists(temp.resolve("state"));
            });
            assertThat(RunningShipper.find(root)).isNotEmpty();
        }
    }

    private static Path only(Path directory) throws IOException {
        try (Stream<Path> children = Files.list(directory)) {
            return children.findFirst().orElseThrow();
        }
    }
}
