package io.chagres.sinks.kafka;

import io.chagres.archive.HostRegistry;
import io.chagres.forward.ForwardedRecord;
import io.chagres.forward.HostSink;
import io.chagres.forward.Position;
import io.chagres.forward.SinkException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** One host's transactions. */
final class KafkaHostSink implements HostSink {
    private final KafkaAddress address;
    private final HostRegistry.Owner host;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaPositions positions;
    private final Map<Long, Position> committed = new TreeMap<>();
    private boolean inTransaction;

    /** Takes over the producer, which is ready to begin a transaction. */
    KafkaHostSink(
            KafkaAddress address,
            HostRegistry.Owner host,
            KafkaProducer<byte[], byte[]> producer,
            KafkaPositions positions,
            Map<Long, byte[]> read)
            throws SinkException {
        this.address = address;
        this.host = host;
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
    public void send(ForwardedRecord record) throws IOException {
        try {
            begin();
            producer.send(new ProducerRecord<>(
                    address.topic(host.name(), record.path()),
                    null,
                    record.committedMs(),
                    key(record.path()),
                    record.value(),
                    headers(record)));
        } catch (KafkaException | IllegalStateException e) {
            throw KafkaSink.failed(e);
        }
    }

    @Override
    public void commit(Map<Long, Position> moved) throws IOException {
        try {
            begin();
            for (Map.Entry<Long, Position> each : moved.entrySet()) {
                producer.send(positions.record(each.getKey(), each.getValue().encode()));
            }
            producer.commitTransaction();
            inTransaction = false;
        } catch (KafkaException | IllegalStateException e) {
            throw KafkaSink.failed(e);
        }
    }

    private void begin() {
        if (!inTransaction) {
            producer.beginTransaction();
            inTransaction = true;
        }
    }

    private byte[] key(Pathname path) {
        byte[] name = bytes(host.name() + ":");
        byte[] key = new byte[name.length + path.length()];
        System.arraycopy(name, 0, key, 0, name.length);
        System.arraycopy(path.bytes(), 0, key, name.length, path.length());
        return key;
    }

    private List<Header> headers(ForwardedRecord record) {
        List<Header> headers = new ArrayList<>(10);
        add(headers, "host", host.name());
        add(headers, "host-id", host.id());
        headers.add(new RecordHeader("chagres.path", record.path().bytes()));
        add(headers, "version", Long.toString(record.version()));
        add(headers, "file", record.file().text());
        add(headers, "offset", Long.toString(record.offset()));
        add(headers, "committed-ms", Long.toString(record.committedMs()));
        if (record.line() != ForwardedRecord.WHOLE) {
            add(headers, "line", Long.toString(record.line()));
            add(headers, "part", record.last() ? "last" : "more");
        }
        if (!record.event().isEmpty()) {
            add(headers, "event", record.event());
        }
        if (record.name() != null) {
            headers.add(new RecordHeader("chagres.name", record.name().bytes()));
        }
        return headers;
    }

    private static void add(List<Header> headers, String name, String value) {
        headers.add(new RecordHeader("chagres." + name, bytes(value)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        KafkaSink.close(producer);
    }
}
