package io.chagres.sinks.kafka;

import io.chagres.forward.SinkException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The positions of one host in one forwarding: records of a compacted topic, where the last record of each key counts.
 * All records of a host are in one partition.
 */
final class KafkaPositions {
    private static final int PARTITIONS = 16;
    private static final Duration POLL = Duration.ofMillis(500);
    private static final String OWNER = "owner";
    private static final String ORIGIN = "origin";

    private final String brokers;
    private final KafkaSettings settings;
    private final String group;
    private final TopicPartition partition;

    /**
     * The result of a reading.
     *
     * @param owner who forwards the host
     * @param claim who last said so behind the first open transaction; whether that is committed was not looked at
     * @param origin the archive that they are of
     * @param originMoves whether another origin was written behind the first open transaction
     * @param versions the position of each version
     */
    record Read(
            byte @Nullable [] owner,
            byte @Nullable [] claim,
            byte @Nullable [] origin,
            boolean originMoves,
            Map<Long, byte[]> versions) {
        boolean isOf(String archive) {
            return origin != null && Arrays.equals(origin, bytes(archive));
        }

        /** Says whether nobody else was the last to say that the host is theirs, committed or not. */
        boolean isOwnedBy(byte[] nonce) {
            byte[] last = claim == null ? owner : claim;
            return last == null || Arrays.equals(last, nonce);
        }
    }

    /** Where the first open transaction of any host begins, and where the records end. */
    private record Ends(long settled, long all) {}

    /** Takes the records of the host: what follows the group in the key, and the record. */
    @FunctionalInterface
    private interface Records {
        void take(String of, ConsumerRecord<byte[], byte[]> record);
    }

    private KafkaPositions(String brokers, KafkaSettings settings, String group, TopicPartition partition) {
        this.brokers = brokers;
        this.settings = settings;
        this.group = group;
        this.partition = partition;
    }

    /** Finds the partition of a host; makes the topic if it is not there. */
    static KafkaPositions at(String brokers, KafkaSettings settings, String group) throws SinkException {
        String topic = settings.positionsTopic();
        int partitions = onCluster(brokers, settings, admin -> {
            try {
                NewTopic made = new NewTopic(topic, Optional.of(PARTITIONS), Optional.empty());
                admin.createTopics(List.of(made.configs(Map.of("cleanup.policy", "compact"))))
                        .all()
                        .get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw e;
                }
            }
            Map<String, TopicDescription> described =
                    admin.describeTopics(List.of(topic)).allTopicNames().get();
            return Objects.requireNonNull(described.get(topic)).partitions().size();
        });
        int hash = Utils.toPositive(Utils.murmur2(bytes(group)));
        return new KafkaPositions(brokers, settings, group, new TopicPartition(topic, hash % partitions));
    }

    /** Work of an administrator. */
    @FunctionalInterface
    private interface Work<T> {
        T on(Admin admin) throws ExecutionException, InterruptedException;
    }

    private static <T> T onCluster(String brokers, KafkaSettings settings, Work<T> work) throws SinkException {
        Admin admin = null;
        try {
            admin = Admin.create(settings.admin(brokers));
            return work.on(admin);
        } catch (ExecutionException | KafkaException e) {
            throw KafkaFailure.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw KafkaFailure.of(e);
        } finally {
            if (admin != null) {
                admin.close(Duration.ZERO);
            }
        }
    }

    /**
     * Reads all that is committed of a host whose own transactions are over. It waits for transactions of other hosts
     * in the partition only where records of this host lie behind them.
     *
     * @throws SinkException when these are open for longer than the wait lasts; it says whose they are
     */
    Read read(TransactionWait wait) throws SinkException {
        return read(true, wait);
    }

    /** Reads what is committed before the first transaction that is open: waits for nothing. */
    Read readSettled(TransactionWait wait) throws SinkException {
        return read(false, wait);
    }

    private Read read(boolean all, TransactionWait wait) throws SinkException {
        Ends ends = ends();
        long[] end = {ends.settled};
        byte[][] claim = new byte[2][];
        consume(wait, IsolationLevel.READ_UNCOMMITTED, ends.settled, ends.all, (of, record) -> {
            end[0] = all ? record.offset() + 1 : ends.settled;
            claim[0] = of.equals(OWNER) ? record.value() : claim[0];
            claim[1] = of.equals(ORIGIN) ? record.value() : claim[1];
        });
        Map<Long, byte[]> versions = new TreeMap<>();
        byte[][] said = new byte[2][];
        consume(wait, IsolationLevel.READ_COMMITTED, 0, end[0], (of, record) -> {
            switch (of) {
                case OWNER -> said[0] = record.value();
                case ORIGIN -> said[1] = record.value();
                default -> {
                    if (record.value() == null) {
                        versions.remove(Long.parseLong(of));
                    } else {
                        versions.put(Long.parseLong(of), record.value());
                    }
                }
            }
        });
        return new Read(said[0], claim[0], said[1], claim[1] != null, versions);
    }

    private Ends ends() throws SinkException {
        return onCluster(brokers, settings, admin -> {
            long settled = end(admin, IsolationLevel.READ_COMMITTED); // first: what ends meanwhile is read twice
            return new Ends(settled, end(admin, IsolationLevel.READ_UNCOMMITTED));
        });
    }

    private long end(Admin admin, IsolationLevel level) throws ExecutionException, InterruptedException {
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(level))
                .partitionResult(partition)
                .get()
                .offset();
    }

    private void consume(TransactionWait wait, IsolationLevel level, long start, long end, Records records)
            throws SinkException {
        if (start >= end) {
            return;
        }
        wait.progress();
        KafkaConsumer<byte[], byte[]> consumer = null;
        try {
            consumer = new KafkaConsumer<>(settings.consumer(brokers, level));
            consumer.assign(List.of(partition));
            consumer.seek(partition, start);
            while (consumer.position(partition) < end) {
                ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
                for (ConsumerRecord<byte[], byte[]> each : polled) {
                    String key = new String(each.key(), StandardCharsets.UTF_8);
                    if (key.startsWith(group + "/")) {
                        records.take(key.substring(group.length() + 1), each);
                    }
                }
                if (polled.isEmpty()) {
                    wait.check(this::blocker);
                } else {
                    wait.progress();
                }
            }
        } catch (KafkaException e) {
            throw KafkaFailure.of(e);
        } finally {
            if (consumer != null) {
                consumer.close(CloseOptions.timeout(Duration.ZERO)); // else it waits for what it asked, 30 s
            }
        }
    }

    private String blocker() throws SinkException {
        return onCluster(brokers, settings, admin -> OpenTransaction.describe(admin, partition));
    }

    /** Returns the record that says who forwards the host. */
    ProducerRecord<byte[], byte[]> owner(byte[] nonce) {
        return record(OWNER, nonce);
    }

    /** Returns the record of a version's position. */
    ProducerRecord<byte[], byte[]> record(long versionId, byte[] position) {
        return record(Long.toString(versionId), position);
    }

    /** Returns the record that names the archive from which the host is forwarded. */
    ProducerRecord<byte[], byte[]> origin(String archive) {
        return record(ORIGIN, bytes(archive));
    }

    /** Returns the record by which the position of a version is forgotten. */
    ProducerRecord<byte[], byte[]> forgotten(long versionId) {
        return record(Long.toString(versionId), null);
    }

    private ProducerRecord<byte[], byte[]> record(String of, byte @Nullable [] value) {
        return new ProducerRecord<>(partition.topic(), partition.partition(), bytes(group + "/" + of), value);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
