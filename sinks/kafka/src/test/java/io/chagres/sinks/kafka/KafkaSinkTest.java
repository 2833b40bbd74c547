package io.chagres.sinks.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.FileVersion;
import io.chagres.forward.HostSink;
import io.chagres.forward.Position;
import io.chagres.forward.SinkException;
import io.chagres.forward.SinkFencedException;
import io.chagres.linux.Pathname;
import io.chagres.testkit.KafkaBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicExistsException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Opens hosts beside transactions that stay open longer than anybody waits: an opening that waited for one would fail.
 */
@Tag("it")
class KafkaSinkTest {
    private static final String NAME = "test";
    private static final String NEVER_MS = "900000";

    private static KafkaBroker broker;

    @BeforeAll
    static void start(@TempDir Path directory) {
        broker = KafkaBroker.in(directory);
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    /** Each test has a topic of its own, whose one partition all hosts share. */
    private static KafkaSettings settings(String test, String transactionMs) {
        String topic = "positions-" + test;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(TopicExistsException.class);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return new KafkaSettings(
                NAME, Map.of(KafkaSettings.POSITIONS_TOPIC, topic, "transaction.timeout.ms", transactionMs));
    }

    private static KafkaSink sink(KafkaSettings settings) {
        return new KafkaSink(KafkaAddress.parse("kafka://" + broker.address() + "/lines"), settings, "", false);
    }

    private static HostRegistry.Owner host(String test, String name) {
        return new HostRegistry.Owner(test + "-" + name, name, 1);
    }

    private static Position position(long offset) {
        Pathname path = Pathname.of("/app.log");
        return new Position(offset, offset, 1, FileVersion.State.GROWING, path, path);
    }

    /** Another process that forwards a host, with a transaction that holds one record. */
    private static KafkaProducer<byte[], byte[]> transaction(
            KafkaSettings settings, HostRegistry.Owner host, String key, byte[] value) {
        String group = NAME + "/" + host.id();
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings.producer(broker.address(), "chagres/" + group));
        producer.initTransactions();
        producer.beginTransaction();
        byte[] bytes = (group + "/" + key).getBytes(StandardCharsets.UTF_8);
        producer.send(new ProducerRecord<>(settings.positionsTopic(), 0, bytes, value));
        producer.flush();
        return producer;
    }

    private static void die(KafkaProducer<byte[], byte[]> producer) {
        producer.close(Duration.ZERO); // its transaction stays open
    }

    @Test
    void anotherHostsOpenTransactionIsNotWaitedFor() throws IOException {
        KafkaSettings settings = settings("another", NEVER_MS);
        HostRegistry.Owner mine = host("another", "mine");
        KafkaSink first = sink(settings);
        HostSink opened = first.open(mine);
        opened.commit(Map.of(7L, position(70)));
        opened.close();
        die(transaction(settings, host("another", "other"), "7", position(1).encode()));
        try (HostSink again = sink(settings).open(mine)) {
            assertThat(again.positions()).isEqualTo(Map.of(7L, position(70)));
        }
    }

    /** As after a broker that did not answer: what was sent is there, the transaction neither committed nor aborted. */
    @Test
    void aTransactionOfOursThatIsOpenIsEndedAndNotWaitedFor() throws IOException {
        KafkaSettings settings = settings("ours", NEVER_MS);
        HostRegistry.Owner mine = host("ours", "mine");
        KafkaSink sink = sink(settings);
        HostSink opened = sink.open(mine);
        opened.commit(Map.of(7L, position(70)));
        opened.close();
        die(transaction(settings, mine, "7", position(80).encode()));
        try (HostSink again = sink.open(mine)) {
            assertThat(again.positions()).isEqualTo(Map.of(7L, position(70)));
        }
    }

    @Test
    void whatLiesBehindAnotherHostsTransactionIsWaitedFor() throws IOException {
        KafkaSettings settings = settings("behind", "2000");
        HostRegistry.Owner mine = host("behind", "mine");
        KafkaSink sink = sink(settings);
        HostSink opened = sink.open(mine);
        die(transaction(settings, host("behind", "other"), "7", position(1).encode()));
        opened.commit(Map.of(7L, position(70)));
        opened.close();
        try (HostSink again = sink.open(mine)) {
            assertThat(again.positions()).isEqualTo(Map.of(7L, position(70)));
        }
    }

    @Test
    void whoeverTakesTheHostOverIsLeftAlone() throws IOException {
        KafkaSettings settings = settings("taken", NEVER_MS);
        HostRegistry.Owner mine = host("taken", "mine");
        KafkaSink sink = sink(settings);
        sink.open(mine).close();
        try (KafkaProducer<byte[], byte[]> later = transaction(settings, mine, "owner", new byte[] {1})) {
            assertThatThrownBy(() -> sink.open(mine))
                    .isInstanceOf(SinkException.class)
                    .hasMessageContaining("about to forward");
            later.commitTransaction();
        }
        assertThatThrownBy(() -> sink.open(mine)).isInstanceOf(SinkFencedException.class);
    }
}
