package io.chagres.sinks.kafka;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.FileVersion;
import io.chagres.forward.HostSink;
import io.chagres.forward.Position;
import io.chagres.forward.SinkException;
import io.chagres.forward.SinkFencedException;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Opens hosts beside transactions that stay open longer than anybody waits: an opening that waited for one would fail.
 */
@Tag("it")
@Execution(ExecutionMode.CONCURRENT)
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
        Await.until("the broker has " + topic, () -> isThere(topic));
        return new KafkaSettings(
                NAME, Map.of(KafkaSettings.POSITIONS_TOPIC, topic, "transaction.timeout.ms", transactionMs));
    }

    /** Says whether the broker has made what its controller has decided. */
    private static boolean isThere(String topic) {
        TopicPartition partition = new TopicPartition(topic, 0);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            admin.describeProducers(List.of(partition)).all().get();
            return true;
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static KafkaSink sink(KafkaSettings settings) {
        return sink(settings, "", false, TransactionWait.USUAL_MS, message -> {});
    }

    private static KafkaSink sink(
            KafkaSettings settings, String origin, boolean takeOver, long patienceMs, Consumer<String> warnings) {
        KafkaAddress address = KafkaAddress.parse("kafka://" + broker.address() + "/lines");
        return new KafkaSink(address, settings, origin, takeOver, new TransactionWait(patienceMs, warnings));
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
        var _ = producer.send(new ProducerRecord<>(settings.positionsTopic(), 0, bytes, value));
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
    void aTransactionThatDoesNotEndIsNamed() throws IOException {
        KafkaSettings settings = settings("named", NEVER_MS);
        HostRegistry.Owner mine = host("named", "mine");
        List<String> said = new ArrayList<>();
        KafkaSink sink = sink(settings, "", false, 3_000, said::add);
        HostSink opened = sink.open(mine);
        try (KafkaProducer<byte[], byte[]> other = transaction(settings, host("named", "other"), "7", new byte[1])) {
            opened.commit(Map.of(7L, position(70)));
            opened.close();
            for (int i = 0; i < 2; i++) { // and continues to do so
                assertThatThrownBy(() -> sink.open(mine))
                        .isInstanceOfSatisfying(SinkException.class, e -> assertThat(e.retryAfterMs())
                                .isPositive())
                        .hasMessageContaining("the transaction of chagres/test/named-other (Ongoing) by producer ")
                        .hasMessageContaining(" is open in positions-named-0 from offset ")
                        .hasMessageContaining("kafka-transactions.sh abort --topic positions-named --partition 0");
            }
            other.abortTransaction();
        }
        try (HostSink again = sink.open(mine)) {
            assertThat(again.positions()).isEqualTo(Map.of(7L, position(70)));
        }
        assertThat(said).isEmpty();
    }

    @Test
    void whoWaitsSaysForWhom() throws IOException {
        KafkaSettings settings = settings("said", NEVER_MS);
        HostRegistry.Owner mine = host("said", "mine");
        HostSink opened = sink(settings).open(mine);
        KafkaProducer<byte[], byte[]> other = transaction(settings, host("said", "other"), "7", new byte[1]);
        opened.commit(Map.of(7L, position(70)));
        opened.close();
        List<String> said = new ArrayList<>();
        KafkaSink sink = sink(settings, "", false, TransactionWait.USUAL_MS, message -> {
            said.add(message);
            other.abortTransaction();
        });
        try (HostSink again = sink.open(mine)) {
            assertThat(again.positions()).isEqualTo(Map.of(7L, position(70)));
        }
        assertThat(said)
                .singleElement(as(STRING))
                .startsWith(mine.title() + " waits: the transaction of chagres/test/said-other (Ongoing) by producer ");
        other.close();
    }

    /** A record before an open transaction is no reason to refuse the forwarder that took over behind it. */
    @Test
    void anOriginThatMovedBehindAnOpenTransactionIsNotRefused() throws IOException {
        KafkaSettings settings = settings("moved", NEVER_MS);
        HostRegistry.Owner mine = host("moved", "mine");
        HostSink opened = sink(settings, "spool-1", false, 3_000, message -> {}).open(mine);
        opened.commit(Map.of(7L, position(70)));
        opened.close();
        try (KafkaProducer<byte[], byte[]> other = transaction(settings, host("moved", "other"), "7", new byte[1])) {
            HostSink taken =
                    sink(settings, "spool-2", true, 3_000, message -> {}).open(mine);
            taken.commit(Map.of(8L, position(80)));
            taken.close();
            KafkaSink again = sink(settings, "spool-2", false, 3_000, message -> {});
            assertThatThrownBy(() -> again.open(mine))
                    .isInstanceOf(SinkException.class)
                    .hasMessageContaining("the transaction of chagres/test/moved-other");
            other.abortTransaction();
            try (HostSink later = again.open(mine)) {
                assertThat(later.positions()).isEqualTo(Map.of(8L, position(80)));
            }
        }
        assertThatThrownBy(() ->
                        sink(settings, "spool-1", false, 3_000, message -> {}).open(mine))
                .isInstanceOf(SinkFencedException.class);
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

    /** Runs something when the next producer is made, between the first look at the positions and the fence. */
    public static final class AtNextProducer implements MetricsReporter {
        private static @Nullable Runnable what;

        @Override
        public void configure(Map<String, ?> configs) {
            Runnable now = what;
            if (now != null && configs.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
                what = null;
                now.run();
            }
        }

        @Override
        public void init(List<KafkaMetric> metrics) {}

        @Override
        public void metricChange(KafkaMetric metric) {}

        @Override
        public void metricRemoval(KafkaMetric metric) {}

        @Override
        public void close() {}
    }

    /** It fences the later one then, and must not take the host from it. */
    @Test
    void theEarlierEndsAlsoWhereTheLaterBeginsBehindItsLook() throws IOException {
        Map<String, String> properties =
                new HashMap<>(settings("overtaken", NEVER_MS).properties());
        properties.put("metric.reporters", AtNextProducer.class.getName());
        KafkaSettings settings = new KafkaSettings(NAME, properties);
        HostRegistry.Owner mine = host("overtaken", "mine");
        KafkaSink earlier = sink(settings);
        KafkaSink later = sink(settings);
        earlier.open(mine).close();
        AtNextProducer.what = () -> {
            try {
                later.open(mine).close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        assertThatThrownBy(() -> earlier.open(mine)).isInstanceOf(SinkFencedException.class);
        later.open(mine).close();
        assertThatThrownBy(() -> earlier.open(mine)).isInstanceOf(SinkFencedException.class);
    }
}
