package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.LineCount;
import io.chagres.testkit.LineWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads the records of a topic. Stateless. */
final class Consumed {
    private static final Duration POLL = Duration.ofMillis(200);

    private Consumed() {}

    /** Requires each line of the writers once, and each file in order. */
    static void requireExact(List<ConsumerRecord<String, byte[]>> records, List<LineWriter> writers) {
        LineCount count = new LineCount();
        writers.forEach(count::expect);
        Map<String, Long> ends = new HashMap<>();
        Map<String, StringBuilder> files = new HashMap<>();
        for (ConsumerRecord<String, byte[]> each : records) {
            String version = header(each, "version");
            long offset = Long.parseLong(header(each, "offset"));
            assertThat(offset).as("order of version " + version).isEqualTo(ends.getOrDefault(version, 0L));
            if (header(each, "event").isEmpty()) {
                boolean whole = !header(each, "part").equals("more");
                files.computeIfAbsent(version, v -> new StringBuilder())
                        .append(new String(each.value(), StandardCharsets.ISO_8859_1))
                        .append(whole ? "\n" : "");
                ends.put(version, offset + each.value().length + (whole ? 1 : 0));
            }
        }
        files.forEach((version, text) -> count.content(text.toString().getBytes(StandardCharsets.ISO_8859_1), version));
        assertThat(count.result().exact()).as(count.result().toString()).isTrue();
    }

    /** Returns a header as text; empty when there is none. */
    static String header(ConsumerRecord<String, byte[]> record, String name) {
        Header header = record.headers().lastHeader("chagres." + name);
        return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }

    /** Returns what a consumer sees that reads what is committed. */
    static List<ConsumerRecord<String, byte[]>> of(String brokers, String topic) {
        return of(brokers, topic, Map.of());
    }

    /** Returns the same, of a broker that needs further properties. */
    static List<ConsumerRecord<String, byte[]>> of(String brokers, String topic, Map<String, String> properties) {
        List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<String, byte[]> consumer = open(brokers, properties)) {
            if (!isThere(consumer, topic)) {
                return records;
            }
            List<TopicPartition> partitions = begin(consumer, topic);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
                consumer.poll(POLL).forEach(records::add);
            }
        }
        return records;
    }

    /** Waits until a topic holds a number of committed records. */
    static void await(String brokers, String topic, long records) {
        try (KafkaConsumer<String, byte[]> consumer = open(brokers, Map.of())) {
            Await.until("there is a topic " + topic, () -> isThere(consumer, topic));
            begin(consumer, topic);
            long[] seen = new long[1];
            Await.until(records + " records are in " + topic, () -> {
                seen[0] += consumer.poll(POLL).count();
                return seen[0] >= records;
            });
        }
    }

    private static boolean isThere(KafkaConsumer<String, byte[]> consumer, String topic) {
        return consumer.listTopics().containsKey(topic); // to ask for its partitions would make it
    }

    private static List<TopicPartition> begin(KafkaConsumer<String, byte[]> consumer, String topic) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(each -> new TopicPartition(topic, each.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return partitions;
    }

    private static KafkaConsumer<String, byte[]> open(String brokers, Map<String, String> properties) {
        Map<String, Object> settings = new HashMap<>(properties);
        settings.putAll(Map.of(
                "bootstrap.servers",
                brokers,
                "isolation.level",
                "read_committed",
                "key.deserializer",
                StringDeserializer.class,
                "value.deserializer",
                ByteArrayDeserializer.class));
        return new KafkaConsumer<>(settings);
    }
}
