package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.KafkaBroker;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Lines in Kafka, as a consumer of committed records sees them, whatever dies on the way. */
@Tag("e2e")
@ExtendWith(FaultBench.Extension.class)
@Order(1)
class ForwardFaultsTest {
    private static final int KILLS = Share.count(40);

    /** One for all tests: each forwards under a name of its own, into a topic of its own. */
    private static KafkaBroker broker;

    private final List<ForwardProcess> started = new ArrayList<>();
    private String topic;

    @BeforeAll
    static void startBroker(@TempDir Path directory) {
        broker = KafkaBroker.in(directory);
    }

    @AfterAll
    static void endBroker() {
        broker.close();
    }

    @BeforeEach
    void nameTopic(TestInfo test) {
        topic = test.getTestMethod().orElseThrow().getName();
    }

    @AfterEach
    void end() {
        started.forEach(ForwardProcess::close);
    }

    private ForwardProcess forward(FaultBench bench, String... options) {
        List<String> arguments = new ArrayList<>(List.of(
                bench.address(), "--to", "kafka://" + broker.address() + "/" + topic + ".{host}", "--as", topic));
        arguments.addAll(List.of(options));
        ForwardProcess process =
                ForwardProcess.start(bench.root().resolve("forward.log"), arguments.toArray(String[]::new));
        started.add(process);
        return process;
    }

    @Test
    void eachLineOnceWhoeverIsKilled(FaultBench bench) throws IOException {
        Random random = new Random(Seeds.next("ForwardFaultsTest"));
        List<LineWriter> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            writers.add(bench.writer("stream" + i).open(bench.file("app" + i + ".log")));
        }
        ShipProcess ship = bench.shipProcess();
        ForwardProcess forward = forward(bench);
        for (int kill = 0; kill < KILLS; kill++) {
            for (LineWriter writer : writers) {
                writer.lines(1 + random.nextInt(50)).firstHalf();
            }
            long seen = random.nextInt(4) == 0 ? 0 : consumed().size();
            if (random.nextInt(4) == 0) {
                bench.archive().ok("compact");
            }
            switch (random.nextInt(4)) {
                case 0 -> {
                    ship.kill();
                    ship = bench.shipProcess();
                }
                case 1 -> broker.restart();
                default -> {
                    forward.kill();
                    forward = forward(bench);
                }
            }
            for (int i = 0; i < writers.size(); i++) {
                writers.get(i).secondHalf().lines(20);
                if (random.nextInt(5) == 0) {
                    Files.move(bench.file("app" + i + ".log"), bench.file("app" + i + ".log." + kill));
                    writers.get(i).open(bench.file("app" + i + ".log"));
                }
            }
            if (seen > 0) { // sometimes it dies while it starts, else while it works
                awaitPublished(seen + 1);
            }
        }
        ship.drain();
        long written = writers.stream().mapToLong(LineWriter::written).sum();
        // One that is only starting knows no signal yet.
        awaitPublished(written);
        assertThat(forward.terminate()).as(forward.said()).isZero();
        assertThat(forward(bench, "--once").awaitExit()).as(forward.said()).isZero();
        requireExact(consumed(), writers);
    }

    @Test
    void theLaterForwarderEndsTheEarlier(FaultBench bench) {
        LineWriter writer = bench.writer("stream").open(bench.file("app.log")).lines(10);
        ShipProcess ship = bench.ship();
        ForwardProcess earlier = forward(bench);
        awaitPublished(10);
        ForwardProcess later = forward(bench);
        Await.until("the later one has the host", () -> {
            writer.lines(1);
            return earlier.hasEnded();
        });
        assertThat(earlier.awaitExit()).as(earlier.said()).isEqualTo(4);
        assertThat(earlier.said()).contains("is forwarded by another process");
        ship.drain();
        awaitPublished(writer.written());
        assertThat(later.terminate()).as(later.said()).isZero();
        requireExact(consumed(), List.of(writer));
    }

    @Test
    void truncatedAndRemovedFilesAreToldOf(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("stream").open(bench.file("app.log")).lines(10);
        ShipProcess ship = bench.ship().awaitSettled();
        writer.truncate(0);
        writer.lines(5);
        ship.awaitSettled();
        Files.delete(bench.file("app.log"));
        writer.close();
        ship.drain();
        ForwardProcess forward = forward(bench, "--once", "--events", "--json");
        assertThat(forward.awaitExit()).as(forward.said()).isZero();
        assertThat(forward.said()).contains("{\"host\":\"web1\",\"records\":17,");
        List<ConsumerRecord<String, byte[]>> records = consumed();
        assertThat(records.stream().map(each -> header(each, "event")).filter(each -> !each.isEmpty()))
                .containsExactly("truncated", "gone");
        assertThat(records.getFirst().key()).isEqualTo("web1:" + bench.file("app.log"));
        requireExact(records, List.of(writer));
    }

    private void requireExact(List<ConsumerRecord<String, byte[]>> records, List<LineWriter> writers) {
        Consumed.requireExact(records, writers);
    }

    private static String header(ConsumerRecord<String, byte[]> record, String name) {
        return Consumed.header(record, name);
    }

    private List<ConsumerRecord<String, byte[]>> consumed() {
        return Consumed.of(broker.address(), topic + "." + FaultBench.HOST);
    }

    private void awaitPublished(long records) {
        Consumed.await(broker.address(), topic + "." + FaultBench.HOST, records);
    }
}
