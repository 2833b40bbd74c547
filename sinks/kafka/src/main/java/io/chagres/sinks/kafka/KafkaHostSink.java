package io.chagres.sinks.kafka;

import io.chagres.forward.ForwardedRecord;
import io.chagres.forward.HostSink;
import io.chagres.forward.Position;
import io.chagres.forward.SinkException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** One host's transactions. */
final class KafkaHostSink implements HostSink {
    private final KafkaAddress address;
    private final Set<String> headers;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaPositions positions;
    private final Map<Long, Position> committed = new TreeMap<>();
    private @Nullable VersionRecords file; // that of the last record
    private boolean inTransaction;

    /**
     * Takes over the producer, which is ready to begin a transaction.
     *
     * @param headers which of them records have
     */
    KafkaHostSink(
            KafkaAddress address,
            Set<String> headers,
            KafkaProducer<byte[], byte[]> producer,
            KafkaPositions positions,
            Map<Long, byte[]> read)
            throws SinkException {
        this.address = address;
        this.headers = headers;
        this.producer = producer;
        this.positions = positions;
        for (Map.Entry<Long, byte[]> each : read.entrySet()) {
            committed.put(each.getKey(), Position.decode(each.getValue()));
        }
    }

    @Override
    public Map<Long, Position> positions() {
        return committed;
    }

    @Override
    public boolean send(ForwardedRecord record, Position after) throws IOException {
        try {
            begin();
            if (file == null || !file.isOf(record)) {
                file = new VersionRecords(address, record, headers);
            }
            var _ = producer.send(file.record(record));
            return false;
        } catch (KafkaException | IllegalStateException e) {
            throw KafkaFailure.of(e);
        }
    }

    @Override
    public void commit(Map<Long, Position> moved) throws IOException {
        try {
            begin();
            for (Map.Entry<Long, Position> each : moved.entrySet()) {
                var _ = producer.send(
                        positions.record(each.getKey(), each.getValue().encode()));
            }
            producer.commitTransaction();
            inTransaction = false;
        } catch (KafkaException | IllegalStateException e) {
            throw KafkaFailure.of(e);
        }
    }

    private void begin() {
        if (!inTransaction) {
            producer.beginTransaction();
            inTransaction = true;
        }
    }

    @Override
    public void close() {
        close(producer);
    }

    /** Ends a producer at once; the forwarder that opens the next finds out what became of its transaction. */
    static void close(KafkaProducer<byte[], byte[]> producer) {
        Utils.closeQuietly(() -> producer.close(Duration.ZERO), "producer");
    }
}
