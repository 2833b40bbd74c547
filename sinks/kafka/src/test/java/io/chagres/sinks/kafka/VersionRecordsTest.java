package io.chagres.sinks.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.FileKey;
import io.chagres.archive.HostRegistry;
import io.chagres.forward.ForwardedRecord;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;

/** What a record in Kafka says of its line, and what lines share. */
class VersionRecordsTest {
    private static final HostRegistry.Owner HOST = new HostRegistry.Owner("id1", "web1", 1);
    private static final Pathname PATH = Pathname.of("/var/log/app.log");
    private static final KafkaAddress ADDRESS = KafkaAddress.parse("kafka://b:9092/logs.{host}.{name}");

    private static ForwardedRecord line(long offset, long committedMs, Pathname path) {
        return line(offset, ForwardedRecord.WHOLE, true, "", null, committedMs, path);
    }

    private static ForwardedRecord line(
            long offset, long line, boolean last, String event, Pathname name, long committedMs, Pathname path) {
        return new ForwardedRecord(
                HOST, path, 7, new FileKey(1, 2, 3, 4), offset, line, last, event, name, committedMs, new byte[] {'x'});
    }

    private static VersionRecords records(String headers) {
        Map<String, String> properties = headers == null ? Map.of() : Map.of(KafkaSettings.HEADERS, headers);
        return new VersionRecords(ADDRESS, line(5, 9, PATH), new KafkaSettings("test", properties).headers());
    }

    private static List<String> headers(ProducerRecord<byte[], byte[]> of) {
        List<String> texts = new ArrayList<>();
        of.headers().forEach(header -> texts.add(header.key() + "=" + new String(header.value(), UTF_8)));
        return texts;
    }

    @Test
    void aLineIsOfItsFile() {
        ProducerRecord<byte[], byte[]> record = records(null).record(line(5, 9, PATH));
        assertThat(record.topic()).isEqualTo("logs.web1.app.log");
        assertThat(record.timestamp()).isEqualTo(9);
        assertThat(new String(record.key(), UTF_8)).isEqualTo("web1:/var/log/app.log");
        assertThat(new String(record.value(), UTF_8)).isEqualTo("x");
        assertThat(headers(record))
                .containsExactly(
                        "chagres.host=web1",
                        "chagres.host-id=id1",
                        "chagres.path=/var/log/app.log",
                        "chagres.version=7",
                        "chagres.file=00000000000000010000000000000002:3:4",
                        "chagres.offset=5",
                        "chagres.committed-ms=9");
    }

    @Test
    void whatLinesShareIsMadeOnce() {
        VersionRecords records = records(null);
        ProducerRecord<byte[], byte[]> first = records.record(line(5, 9, PATH));
        ProducerRecord<byte[], byte[]> next = records.record(line(70, 9, PATH));
        assertThat(next.key()).isSameAs(first.key());
        Header[] before = first.headers().toArray();
        Header[] after = next.headers().toArray();
        assertThat(after).hasSameSizeAs(before);
        for (int i = 0; i < after.length; i++) {
            if (after[i].key().equals("chagres.offset")) {
                assertThat(new String(after[i].value(), UTF_8)).isEqualTo("70");
            } else {
                assertThat(after[i]).isSameAs(before[i]);
            }
        }
    }

    @Test
    void anotherCommitOrNameIsNotTheSame() {
        VersionRecords records = records(null);
        assertThat(records.isOf(line(70, 9, PATH))).isTrue();
        assertThat(records.isOf(line(70, 10, PATH))).isFalse();
        assertThat(records.isOf(line(70, 9, Pathname.of("/other")))).isFalse();
    }

    @Test
    void headersAreChosen() {
        assertThat(headers(records("offset, version").record(line(70, 9, PATH))))
                .containsExactly("chagres.version=7", "chagres.offset=70");
        assertThat(headers(records("").record(line(70, 9, PATH)))).isEmpty();
    }

    @Test
    void whatCannotBeToldOtherwiseIsAlwaysThere() {
        VersionRecords records = records(" ");
        assertThat(headers(records.record(line(70, 60, false, "", null, 9, PATH))))
                .containsExactly("chagres.line=60", "chagres.part=more");
        assertThat(headers(records.record(line(70, ForwardedRecord.WHOLE, true, "renamed", PATH, 9, PATH))))
                .containsExactly("chagres.event=renamed", "chagres.name=/var/log/app.log");
    }

    @Test
    void anUnknownHeaderIsRefused() {
        assertThatThrownBy(() -> records("offset,inode"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chagres.headers of the properties takes any of host, host-id, ")
                .hasMessageEndingWith("and not inode");
    }
}
