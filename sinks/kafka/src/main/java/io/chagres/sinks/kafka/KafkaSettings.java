package io.chagres.sinks.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What the clients are told: the user's properties, and over them what exactly once rests on. Immutable.
 *
 * @param name what the forwarding is called
 * @param properties the user's
 */
record KafkaSettings(String name, Map<String, String> properties) {
    /** Of the properties one is ours: the topic of the positions. */
    static final String POSITIONS_TOPIC = "chagres.positions.topic";

    private static final String DEFAULT_POSITIONS_TOPIC = "chagres-positions";
    private static final int DEFAULT_REQUEST_BYTES = 1 << 20;

    /** A key holds host and path, headers the path once more. */
    private static final int ENVELOPE_BYTES = 16 << 10;

    String positionsTopic() {
        return properties.getOrDefault(POSITIONS_TOPIC, DEFAULT_POSITIONS_TOPIC);
    }

    int maxValueBytes() {
        String bytes = properties.get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
        int max = bytes == null ? DEFAULT_REQUEST_BYTES : Integer.parseInt(bytes);
        return Math.max(1024, max - ENVELOPE_BYTES);
    }

    Map<String, Object> producer(String brokers, String transactionalId) {
        Map<String, Object> all = common(brokers);
        all.putIfAbsent(ProducerConfig.COMPRESSION_TYPE_CONFIG, "zstd");
        all.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, "5");
        all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        return all;
    }

    Map<String, Object> consumer(String brokers, IsolationLevel level) {
        Map<String, Object> all = common(brokers);
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, level.toString());
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        return all;
    }

    Map<String, Object> admin(String brokers) {
        return common(brokers);
    }

    private Map<String, Object> common(String brokers) {
        Map<String, Object> all = new HashMap<>(properties);
        all.remove(POSITIONS_TOPIC);
        all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, brokers);
        all.putIfAbsent(AdminClientConfig.CLIENT_ID_CONFIG, "chagres-" + name);
        all.put("enable.metrics.push", false);
        return all;
    }
}
