package io.chagres.sinks.kafka;

import io.chagres.forward.ForwardedRecord;
import io.chagres.linux.Pathname;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the records of one version share as long as nothing new is committed: topic, key and most headers.
 * They are made once, since they would be most of the work of sending a line. Immutable.
 */
final class VersionRecords {
    private static final String OFFSET = "offset";

    private final Pathname path;
    private final long version;
    private final long committedMs;
    private final String topic;
    private final byte[] key;
    private final @Nullable Header[] headers; // null where each record has its own offset
    private final int offsetAt;

    /**
     * Takes from a record what it shares with those that follow.
     *
     * @param selected the names of the headers that every record has
     */
    VersionRecords(KafkaAddress address, ForwardedRecord first, Set<String> selected) {
        path = first.path();
        version = first.version();
        committedMs = first.committedMs();
        String host = first.host().name();
        topic = address.topic(host, path);
        key = key(host, path);
        List<@Nullable Header> shared = new ArrayList<>();
        for (String name : selected) {
            shared.add(name.equals(OFFSET) ? null : header(name, shared(name, first)));
        }
        headers = shared.toArray(new Header[0]);
        offsetAt = shared.indexOf(null);
    }

    private static byte[] shared(String name, ForwardedRecord of) {
        return switch (name) {
            case "host" -> bytes(of.host().name());
            case "host-id" -> bytes(of.host().id());
            case "path" -> of.path().bytes();
            case "version" -> bytes(Long.toString(of.version()));
            case "file" -> bytes(of.file().text());
            case "committed-ms" -> bytes(Long.toString(of.committedMs()));
            default -> throw new IllegalArgumentException("no header " + name);
        };
    }

    /** Says whether a record has all this in common. */
    boolean isOf(ForwardedRecord record) {
        return record.version() == version
                && record.committedMs() == committedMs
                && record.path().equals(path);
    }

    /** Returns the record as Kafka's client takes it. */
    ProducerRecord<byte[], byte[]> record(ForwardedRecord record) {
        Header[] all = headers.clone();
        if (offsetAt >= 0) {
            all[offsetAt] = header(OFFSET, bytes(Long.toString(record.offset())));
        }
        List<Header> list = Arrays.asList(all);
        boolean plain = record.line() == ForwardedRecord.WHOLE && record.event().isEmpty() && record.name() == null;
        return new ProducerRecord<>(
                topic, null, committedMs, key, record.value(), plain ? list : withOwn(list, record));
    }

    private static List<Header> withOwn(List<Header> all, ForwardedRecord record) {
        List<Header> more = new ArrayList<>(all);
        if (record.line() != ForwardedRecord.WHOLE) {
            more.add(header("line", bytes(Long.toString(record.line()))));
            more.add(header("part", bytes(record.last() ? "last" : "more")));
        }
        if (!record.event().isEmpty()) {
            more.add(header("event", bytes(record.event())));
        }
        if (record.name() != null) {
            more.add(header("name", record.name().bytes()));
        }
        return more;
    }

    private static byte[] key(String host, Pathname path) {
        byte[] name = bytes(host + ":");
        byte[] key = Arrays.copyOf(name, name.length + path.length());
        System.arraycopy(path.bytes(), 0, key, name.length, path.length());
        return key;
    }

    private static Header header(String name, byte[] value) {
        return new RecordHeader("chagres." + name, value);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
