package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.KafkaBroker;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** One process from files into Kafka, as a consumer of committed records sees it. */
@Tag("e2e")
@ExtendWith(FaultBench.Extension.class)
@Order(1)
class ShipKafkaTest {
    private static final int KILLS = Share.count(40);

    /** One for all tests: each is another host. */
    private static KafkaBroker broker;

    private String host;

    @BeforeAll
    static void startBroker(@TempDir Path directory) {
        broker = KafkaBroker.in(directory);
    }

    @AfterAll
    static void endBroker() {
        broker.close();
    }

    @BeforeEach
    void nameHost(TestInfo test) {
        host = test.getTestMethod().orElseThrow().getName();
    }

    private Shipping shipping(FaultBench bench, String... options) {
        return into(bench).options("--spool", spool(bench).toString()).options(options);
    }

    private Shipping into(FaultBench bench) {
        Shipping shipping = bench.shipping().paths(bench.tree()).host(host);
        Chagres.ONE_COMPILER.forEach(shipping::environment);
        return shipping.to("kafka://" + broker.address() + "/logs.{host}");
    }

    private static Path spool(FaultBench bench) {
        return bench.root().resolve("spool");
    }

    private List<ConsumerRecord<String, byte[]>> consumed() {
        return Consumed.of(broker.address(), "logs." + host);
    }

    /** The end is drained though half a line is in the file: it is published as a part. */
    @Test
    void eachLineOnceWhoeverIsKilled(FaultBench bench) throws IOException {
        Random random = new Random(Seeds.next("ShipKafkaTest"));
        List<LineWriter> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            writers.add(bench.writer("stream" + i).open(bench.file("app" + i + ".log")));
        }
        ShipProcess ship = shipping(bench).start();
        for (int kill = 0; kill < KILLS; kill++) {
            for (LineWriter writer : writers) {
                writer.lines(1 + random.nextInt(50)).firstHalf();
            }
            long seen = random.nextInt(3) == 0 ? -1 : consumed().size();
            if (random.nextInt(4) == 0) {
                broker.restart();
            } else {
                ship.kill();
                ship = shipping(bench).start();
            }
            for (int i = 0; i < writers.size(); i++) {
                writers.get(i).secondHalf().lines(20);
                if (random.nextInt(5) == 0) {
                    Files.move(bench.file("app" + i + ".log"), bench.file("app" + i + ".log." + kill));
                    writers.get(i).open(bench.file("app" + i + ".log"));
                }
            }
            if (seen >= 0) { // sometimes it dies while it starts, else while it works
                Consumed.await(broker.address(), "logs." + host, seen + 1);
            }
        }
        ship.awaitSettled().drain();
        Consumed.requireExact(consumed(), writers);
        shipping(bench, "--once").start().awaitExit();
        Consumed.requireExact(consumed(), writers);
    }

    @Test
    void bytesAreAtRiskUntilKafkaHasThem(FaultBench bench) {
        LineWriter writer = bench.writer("stream").open(bench.file("app.log")).lines(10);
        ShipProcess ship = shipping(bench, "--drain", "2s").start().awaitSettled();
        assertThat(consumed()).hasSize(10);
        assertThat(bench.askToDrain("--timeout", "3s").exitCode()).isZero();
        broker.kill();
        writer.lines(20);
        ship.awaitNewStatus("the spool has them", status -> status.number("commits") >= 2);
        ship.awaitNewStatus("they are at risk", status -> status.riskBytes() > 0);
        Program refused = bench.askToDrain("--timeout", "3s");
        assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(3);
        assertThat(ship.terminate()).as(ship.report()).isEqualTo(3);
        assertThat(ship.errors()).contains("Kafka has not got", "keep it for the next start");
        broker.restart();
        ShipProcess next = shipping(bench).start().awaitSettled();
        Consumed.requireExact(consumed(), List.of(writer));
        writer.firstHalf();
        next.drain(); // half a line is published as a part
        assertThat(consumed()).hasSize(31);
        writer.secondHalf();
        shipping(bench).start().awaitSettled().drain();
        Consumed.requireExact(consumed(), List.of(writer));
    }

    @Test
    void aFullSpoolStopsTheReadingAndWhatWasDeliveredMakesRoom(FaultBench bench) throws IOException {
        Random random = new Random(1);
        LineWriter writer = bench.writer("stream").open(bench.file("app.log")).lines(10);
        ShipProcess ship = shipping(bench, "--spool-size", "16MiB").start().awaitSettled();
        broker.kill();
        writer.lines(10);
        Path noise = bench.file("noise");
        for (int i = 0; i < 48; i++) { // lines that nothing can compress
            byte[] bytes = new byte[1 << 20];
            random.nextBytes(bytes);
            bytes[bytes.length - 1] = '\n';
            Files.write(noise, bytes, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND);
        }
        ship.awaitError("is full");
        ship.awaitNewStatus("it says so", status -> status.json().contains("is full"));
        assertThat(size(spool(bench))).isLessThan(24L << 20);
        broker.restart();
        ship.awaitSettled();
        Await.until("what was delivered goes", () -> {
            writer.lines(1);
            return size(spool(bench)) < 24L << 20;
        });
        ship.awaitSettled().drain();
        List<ConsumerRecord<String, byte[]>> records = consumed();
        Consumed.requireExact(
                records.stream().filter(each -> !each.key().endsWith("noise")).toList(), List.of(writer));
        long noiseBytes = 0;
        for (ConsumerRecord<String, byte[]> each : records) {
            boolean more = Consumed.header(each, "part").equals("more");
            noiseBytes += each.key().endsWith("noise") ? each.value().length + (more ? 0 : 1) : 0;
        }
        assertThat(noiseBytes).isEqualTo(48L << 20);
        new Archive(spool(bench).resolve("archive"), bench.root()).verify();
    }

    private static long size(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(each -> each.toFile().length())
                    .sum();
        } catch (UncheckedIOException e) {
            return Long.MAX_VALUE; // something went while it was looked at
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theSecondOfOneIdentityIsRefused(FaultBench bench) {
        LineWriter writer = bench.writer("stream").open(bench.file("app.log")).lines(10);
        ShipProcess ship = shipping(bench).start().awaitSettled();
        Path other = bench.root().resolve("other");
        ShipProcess second = into(bench).state(other).start();
        assertThat(second.awaitExit()).as(second.report()).isEqualTo(4);
        assertThat(second.errors()).contains("from another spool");
        writer.lines(10);
        ship.awaitSettled();
        Consumed.requireExact(consumed(), List.of(writer));
        ShipProcess third = into(bench).state(other).options("--take-over").start();
        third.awaitSettled();
        writer.lines(10);
        assertThat(ship.awaitExit()).as(ship.report()).isEqualTo(4);
        third.awaitSettled().drain();
        assertThat(consumed()).as("what is in the files is published again").hasSize(20 + 30);
    }
}
