package io.chagres.sinks.kafka;

import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import io.chagres.linux.Pathname;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The settings of the clients: the user's properties, and over them the ones that exactly once rests on. Immutable.
 *
 * @param name what the forwarding is called
 * @param properties the user's
 */
record KafkaSettings(String name, Map<String, String> properties) {
    /** One of the properties is ours: the topic of the positions. */
    static final String POSITIONS_TOPIC = "chagres.positions.topic";

    /** And which headers every record has. */
    static final String HEADERS = "chagres.headers";

    private static final List<String> ALL_HEADERS =
            List.of("host", "host-id", "path", "version", "file", "offset", "committed-ms");
    /** Kafka's own default of 16 KiB costs a compressor and a checksum each, and a third more bytes. */
    private static final int BATCH_BYTES = 128 << 10;

    /** A transaction, or the largest request more than once: more would only wait for the one connection. */
    private static final long BUFFER_BYTES = 8 << 20;

    private static final String DEFAULT_POSITIONS_TOPIC = "chagres-positions";
    private static final int DEFAULT_REQUEST_BYTES = 1 << 20;

    /** A key holds host and path, headers the path once more. */
    private static final int ENVELOPE_BYTES = 16 << 10;

    /**
     * Looks at what is read from the properties here.
     *
     * @throws IllegalArgumentException when something is no value; the message is for people
     */
    void check() {
        headers();
        maxValueBytes();
        bufferBytes(new HashMap<>(properties));
    }

    String positionsTopic() {
        return properties.getOrDefault(POSITIONS_TOPIC, DEFAULT_POSITIONS_TOPIC);
    }

    /**
     * Returns the names of the headers that every record has, in their order.
     *
     * @throws IllegalArgumentException when one is not known; the message is for people
     */
    Set<String> headers() {
        String text = properties.get(HEADERS);
        if (text == null) {
            return new LinkedHashSet<>(ALL_HEADERS);
        }
        Set<String> asked = new HashSet<>(List.of(text.strip().split("\\s*,\\s*")));
        asked.remove("");
        Set<String> selected = new LinkedHashSet<>(ALL_HEADERS);
        selected.retainAll(asked);
        asked.removeAll(selected);
        if (!asked.isEmpty()) {
            throw new IllegalArgumentException(HEADERS + " of the properties takes any of "
                    + String.join(", ", ALL_HEADERS) + ", or nothing, and not "
                    + asked.iterator().next());
        }
        return selected;
    }

    int maxValueBytes() {
        return Math.max(
                1024,
                number(properties, ProducerConfig.MAX_REQUEST_SIZE_CONFIG, DEFAULT_REQUEST_BYTES) - ENVELOPE_BYTES);
    }

    /** Kafka's client takes no record and no batch that its buffer could not hold. */
    private static long bufferBytes(Map<String, Object> of) {
        long request = number(of, ProducerConfig.MAX_REQUEST_SIZE_CONFIG, DEFAULT_REQUEST_BYTES);
        long batch = number(of, ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        return Math.max(BUFFER_BYTES, 2 * Math.max(request, batch));
    }

    private static int number(Map<String, ?> of, String name, int otherwise) {
        Object value = of.get(name);
        try {
            return value == null ? otherwise : Integer.parseInt(value.toString().strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " of the properties is a number, and not " + value, e);
        }
    }

    Map<String, Object> producer(String brokers, String transactionalId) {
        Map<String, Object> all = common(brokers);
        all.putIfAbsent(ProducerConfig.COMPRESSION_TYPE_CONFIG, "zstd");
        all.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, "5");
        all.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString(BATCH_BYTES));
        all.putIfAbsent(ProducerConfig.BUFFER_MEMORY_CONFIG, Long.toString(bufferBytes(all)));
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
        all.remove(HEADERS);
        all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, brokers);
        all.putIfAbsent(AdminClientConfig.CLIENT_ID_CONFIG, "chagres-" + name);
        all.put("enable.metrics.push", false);
        trust(all);
        return all;
    }

    /** Kafka's client reads PEM by itself; trust is set as for every store, or in Kafka's own way. */
    private static void trust(Map<String, Object> all) {
        Object caFile = all.remove(TlsFiles.CA_FILE);
        boolean own = all.keySet().stream().anyMatch(each -> each.startsWith("ssl.truststore."));
        boolean encrypted = String.valueOf(all.get(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG))
                .toUpperCase(Locale.ROOT)
                .endsWith("SSL");
        if (own || !encrypted || all.containsKey(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG)) {
            return;
        }
        try {
            Map<String, String> named = caFile == null ? Map.of() : Map.of(TlsFiles.CA_FILE, caFile.toString());
            Pathname file = TlsFiles.of(named, List.of(), System.getenv()).caFile();
            if (file != null) {
                all.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
                all.put(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, file.toString());
            }
        } catch (StoreException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
