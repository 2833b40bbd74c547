package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.ship.commit.StoreHealth;
import io.chagres.ship.metrics.Metric;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What a recording of the flight recorder holds of a shipper. */
@Tag("long")
@Isolated // a recording holds the events of the whole process
class ShipEventsTest {
    @TempDir
    private Path temp;

    /** Runs what is recorded, and returns the events of one kind. */
    private List<RecordedEvent> recorded(String name, Recorded what) throws IOException {
        Path file = temp.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            what.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }

    /** Does one step, and returns how many bytes were read by then. */
    private static double step(Shipper shipper) {
        try {
            shipper.doWork(5);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return shipper.metrics().all().stream()
                .filter(metric -> metric.name().equals("chagres_read_bytes"))
                .mapToDouble(metric -> ((Metric.Counter) metric).value().getAsDouble())
                .sum();
    }

    private interface Recorded {
        void run() throws IOException;
    }

    @Test
    void aCommitSaysWhatItMadeSafe() throws IOException {
        byte[] bytes = "a line\n".repeat(1000).getBytes(StandardCharsets.UTF_8);
        List<RecordedEvent> commits = recorded("chagres.Commit", () -> {
            try (ShippedTree shipped = new ShippedTree(temp)) {
                ShippedTree.append(shipped.file("a.log"), bytes);
                ShippedTree.append(shipped.file("b.log"), bytes);
                shipped.settle();
            }
        });
        assertThat(commits).isNotEmpty();
        assertThat(commits.stream().mapToLong(each -> each.getLong("bytes")).sum())
                .isEqualTo(2L * bytes.length);
        assertThat(commits.stream().mapToLong(each -> each.getLong("files")).sum())
                .isGreaterThanOrEqualTo(2);
        assertThat(commits).allSatisfy(each -> {
            assertThat(each.getLong("seq")).isPositive();
            assertThat(each.getLong("retries")).isZero();
            assertThat(each.getDuration()).isPositive();
        });
    }

    @Test
    void aStallLastsUntilTheCommitBeforeIsAcknowledged() throws IOException {
        List<RecordedEvent> stalls = recorded("chagres.Stall", () -> {
            try (ShippedTree shipped = new ShippedTree(temp)) {
                Queue<Runnable> held = new ArrayDeque<>();
                boolean[] holds = {false};
                shipped.workers = task -> {
                    if (holds[0]) {
                        held.add(task);
                    } else {
                        task.run();
                    }
                };
                Shipper shipper = shipped.settle().shipper();
                holds[0] = true;
                for (int i = 0; i < 80; i++) {
                    ShippedTree.append(shipped.file(i + ".log"), ShippedTree.random(1 << 19, i));
                }
                double[] read = {-1, 0};
                Await.steps("nothing more is read", () -> {
                    double before = read[0];
                    read[0] = step(shipper);
                    read[1] = read[0] > 0 && read[0] == before ? read[1] + 1 : 0;
                    return read[1] > 20;
                });
                holds[0] = false;
                held.forEach(Runnable::run);
                shipped.settle();
            }
        });
        assertThat(stalls).isNotEmpty();
        assertThat(stalls.getFirst().getLong("collectedBytes")).isPositive();
        assertThat(stalls.getFirst().getBoolean("storeRefuses")).isFalse();
    }

    @Test
    void aRetrySaysWhyAndWhenTheNextOneIs() throws IOException {
        List<RecordedEvent> retries = recorded("chagres.Retry", () -> {
            StoreHealth health = new StoreHealth("store", problem -> {});
            health.refused(this, new IOException("it is busy"), 0);
        });
        assertThat(retries).hasSize(1);
        assertThat(retries.getFirst().getString("cause")).isEqualTo("passing");
        assertThat(retries.getFirst().getString("message")).isEqualTo("it is busy");
        assertThat(retries.getFirst().getDuration("waitMs")).isPositive();
    }

    @Test
    void aVerificationNamesTheFileAndWhetherItIsEqual() throws IOException {
        List<RecordedEvent> verifications = recorded("chagres.Verification", () -> {
            try (ShippedTree shipped = new ShippedTree(temp)) {
                byte[] bytes = ShippedTree.random(1 << 20, 7);
                ShippedTree.append(shipped.file("a.log"), bytes);
                shipped.settle();
                bytes[17]++;
                Files.write(shipped.file("a.log"), bytes);
                shipped.drain();
            }
        });
        assertThat(verifications).anySatisfy(each -> {
            assertThat(each.getString("path")).endsWith("a.log");
            assertThat(each.getLong("bytes")).isPositive();
        });
    }
}
