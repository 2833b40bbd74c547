package io.chagres.sinks.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.chagres.archive.FileKey;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.FileVersion;
import io.chagres.forward.ForwardedRecord;
import io.chagres.forward.HostSink;
import io.chagres.forward.Position;
import io.chagres.forward.Sink;
import io.chagres.forward.SinkException;
import io.chagres.forward.SinkFencedException;
import io.chagres.forward.SinkSettings;
import io.chagres.linux.Pathname;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a collector gets, and what its answers mean. */
@Tag("long")
class OtlpSinkTest {
    private static final HostRegistry.Owner HOST = new HostRegistry.Owner("00000000000000aa", "web1", 1);
    private static final Pathname PATH = Pathname.of("/var/log/app.log");

    @TempDir
    Path directory = Path.of("");

    private Collector collector;
    private final List<String> warnings = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        collector = new Collector();
    }

    @AfterEach
    void stop() {
        collector.close();
    }

    private Sink sink(Map<String, String> properties) {
        return new OtlpSinkProvider()
                .open(collector.address(), new SinkSettings("test", properties, directory, warnings::add));
    }

    private static ForwardedRecord record(long offset, String event, byte[] value) {
        return new ForwardedRecord(
                HOST, PATH, 7, new FileKey(1, 2, 3, 4), offset, ForwardedRecord.WHOLE, true, event, null, 1234, value);
    }

    private static ForwardedRecord line(long offset, String text) {
        return record(offset, "", text.getBytes(StandardCharsets.UTF_8));
    }

    private static Position position(long offset) {
        return new Position(offset, offset, 9, FileVersion.State.GROWING, PATH, PATH);
    }

    private static boolean send(HostSink out, ForwardedRecord record) throws IOException {
        return out.send(record, position(record.offset() + record.value().length + 1));
    }

    private static Map<String, String> attributes(List<KeyValue> of) {
        return of.stream()
                .collect(Collectors.toMap(
                        KeyValue::getKey,
                        each -> each.getValue().hasIntValue()
                                ? Long.toString(each.getValue().getIntValue())
                                : each.getValue().getStringValue()));
    }

    @Test
    void sendsAFileAsAResourceAndItsLinesAsRecords() throws Exception {
        try (Sink sink = sink(Map.of());
                HostSink out = sink.open(HOST)) {
            send(out, line(0, "first"));
            send(out, record(6, "", new byte[] {(byte) 0xff, 'x'}));
            send(out, record(9, "gone", new byte[0]));
            assertThat(collector.taken).isEmpty();
            out.commit(Map.of(7L, position(9)));
        }
        ResourceLogs file = collector.taken.getFirst().getResourceLogs(0);
        assertThat(collector.taken.getFirst().getResourceLogsCount()).isOne();
        assertThat(attributes(file.getResource().getAttributesList()))
                .isEqualTo(Map.of(
                        "host.name", "web1",
                        "host.id", "00000000000000aa",
                        "log.file.path", "/var/log/app.log",
                        "log.file.name", "app.log"));
        List<LogRecord> records = file.getScopeLogs(0).getLogRecordsList();
        assertThat(records.get(0).getBody().getStringValue()).isEqualTo("first");
        assertThat(records.get(0).getObservedTimeUnixNano()).isEqualTo(1_234_000_000L);
        assertThat(attributes(records.get(0).getAttributesList()))
                .isEqualTo(Map.of(
                        "chagres.version",
                        "7",
                        "chagres.offset",
                        "0",
                        "chagres.file",
                        "00000000000000010000000000000002:3:4"));
        assertThat(records.get(1).getBody().getBytesValue().toByteArray()).containsExactly(0xff, 'x');
        assertThat(records.get(2).getEventName()).isEqualTo("chagres.file.gone");
        assertThat(records.get(2).hasBody()).isFalse();
    }

    /** A request that was not answered well does not count as sent, in this process and in the next one. */
    @ParameterizedTest
    @CsvSource({
        "503, '', 0",
        "429, 7, 7000",
        "503, 'Thu, 01 Jan 2099 00:00:00 GMT', 600000",
        "400, '', 30000",
        "404, 3, 30000"
    })
    void goesOnlyPastWhatWasTaken(int status, String retryAfter, long retryMs) throws Exception {
        try (Sink sink = sink(Map.of("compression", "none"))) {
            try (HostSink out = sink.open(HOST)) {
                send(out, line(0, "a"));
                out.commit(Map.of(7L, position(2)));
                collector.answers.add(new Collector.Answer(status, retryAfter, new byte[0]));
                send(out, line(2, "b"));
                assertThatThrownBy(() -> out.commit(Map.of(7L, position(4))))
                        .hasMessageContaining("status " + status)
                        .asInstanceOf(type(SinkException.class))
                        .returns(retryMs, SinkException::retryAfterMs);
            }
            try (HostSink again = sink.open(HOST)) {
                assertThat(again.positions()).isEqualTo(Map.of(7L, position(2)));
            }
        }
    }

    @Test
    void saysWhatTheCollectorRefusedForEver() throws Exception {
        collector.answers.add(Collector.Answer.refused(3, "too old"));
        try (Sink sink = sink(Map.of());
                HostSink out = sink.open(HOST)) {
            send(out, line(0, "a"));
            out.commit(Map.of(7L, position(2)));
            assertThat(sink.refusedRecords()).isEqualTo(3);
        }
        assertThat(warnings).singleElement().asString().contains("web1", "refused 3", "too old");
    }

    /** What it says to one host is meant for all: who wants to be left alone gets no request at all. */
    @Test
    void leavesACollectorAloneForAsLongAsItWants() throws Exception {
        HostRegistry.Owner another = new HostRegistry.Owner("00000000000000bb", "web2", 1);
        collector.answers.add(new Collector.Answer(503, "600", new byte[0]));
        try (Sink sink = sink(Map.of());
                HostSink one = sink.open(HOST);
                HostSink other = sink.open(another)) {
            for (HostSink out : List.of(one, other)) {
                send(out, line(0, "a"));
                assertThatThrownBy(() -> out.commit(Map.of(7L, position(2))))
                        .asInstanceOf(type(SinkException.class))
                        .returns(true, SinkException::isBusy)
                        .extracting(SinkException::retryAfterMs)
                        .asInstanceOf(LONG)
                        .isBetween(500_000L, 600_000L);
            }
        }
        assertThat(collector.headers).hasSize(1);
    }

    /** Else it would be sent again and again: to a collector that took it, until somebody frees the disk. */
    @Test
    void sendsNothingAgainWhilePositionsCannotBeWritten() throws Exception {
        Path journal = Files.createDirectories(directory.resolve("forward/test").resolve(HOST.id()))
                .resolve("positions");
        Files.createSymbolicLink(journal, Path.of("/dev/full"));
        try (Sink sink = sink(Map.of())) {
            try (HostSink out = sink.open(HOST)) {
                send(out, line(0, "a"));
                assertThatThrownBy(() -> out.commit(Map.of(7L, position(2)))).hasMessageContaining("cannot be written");
            }
            assertThat(collector.taken).hasSize(1);
            assertThatThrownBy(() -> sink.open(HOST))
                    .isInstanceOf(SinkException.class)
                    .hasMessageContaining("cannot be written");
            Files.delete(journal);
            try (HostSink out = sink.open(HOST)) {
                assertThat(out.positions()).isEqualTo(Map.of(7L, position(2)));
            }
        }
        try (Sink next = sink(Map.of());
                HostSink out = next.open(HOST)) {
            assertThat(out.positions()).as("written").isEqualTo(Map.of(7L, position(2)));
        }
        assertThat(collector.taken).hasSize(1);
    }

    /** Some servers of logs say 204 where the specification has 200. */
    @ParameterizedTest
    @ValueSource(ints = {202, 204})
    void takesAnotherGoodAnswerForOne(int status) throws Exception {
        collector.answers.add(Collector.Answer.of(status));
        try (Sink sink = sink(Map.of());
                HostSink out = sink.open(HOST)) {
            send(out, line(0, "a"));
            out.commit(Map.of(7L, position(2)));
            assertThat(out.positions()).isEqualTo(Map.of(7L, position(2)));
        }
    }

    @Test
    void sendsSmallerRequestsWhereOneWasTooLarge() throws Exception {
        collector.answers.add(Collector.Answer.of(413));
        try (Sink sink = sink(Map.of())) {
            try (HostSink out = sink.open(HOST)) {
                assertThatThrownBy(() -> send30(out))
                        .asInstanceOf(type(SinkException.class))
                        .returns(0L, SinkException::retryAfterMs);
            }
            try (HostSink again = sink.open(HOST)) {
                send30(again);
                again.commit(Map.of(7L, position(6_000_000)));
            }
        }
        assertThat(collector.taken.size()).isBetween(5, 7);
    }

    /** Returns how often all that was sent so far was known to be taken. */
    private static int send30(HostSink out) throws IOException {
        int taken = 0;
        for (int i = 0; i < 30; i++) {
            taken += send(out, line(i * 200_000L, "x".repeat(199_999))) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void takesNoOtherServerForACollector() throws Exception {
        collector.answers.add(new Collector.Answer(200, "", "<html>hello</html>".getBytes(StandardCharsets.UTF_8)));
        try (Sink sink = sink(Map.of());
                HostSink out = sink.open(HOST)) {
            send(out, line(0, "a"));
            assertThatThrownBy(() -> out.commit(Map.of())).isInstanceOf(SinkException.class);
        }
        collector.close();
        try (Sink sink = sink(Map.of());
                HostSink out = sink.open(HOST)) {
            send(out, line(0, "a"));
            assertThatThrownBy(() -> out.commit(Map.of()))
                    .isInstanceOf(SinkException.class)
                    .hasMessageContaining("does not answer");
        }
    }

    @Test
    void cutsLongTransactionsIntoRequests() throws Exception {
        try (Sink sink = sink(Map.of("header.X-Token", "secret"));
                HostSink out = sink.open(HOST)) {
            assertThat(send30(out)).isPositive().isEqualTo(collector.taken.size());
            out.commit(Map.of(7L, position(6_000_000)));
        }
        assertThat(collector.taken.size()).isBetween(3, 4);
        assertThat(collector.headers).allMatch("POST application/x-protobuf secret"::equals);
    }

    /** Requests taken before a refusal are not sent again, and the refused one is sent again alone. */
    @Test
    void keepsItsPlaceBehindEachRequest() throws Exception {
        collector.answers.add(Collector.Answer.of(200));
        collector.answers.add(Collector.Answer.of(503));
        try (Sink sink = sink(Map.of())) {
            long[] sent = {0};
            try (HostSink out = sink.open(HOST)) {
                assertThatThrownBy(() -> {
                            for (; sent[0] < 30; sent[0]++) {
                                send(out, line(sent[0] * 200_000L, "x".repeat(199_999)));
                            }
                        })
                        .asInstanceOf(type(SinkException.class))
                        .returns(true, SinkException::isBusy);
            }
            int taken = collector
                    .taken
                    .getFirst()
                    .getResourceLogs(0)
                    .getScopeLogs(0)
                    .getLogRecordsCount();
            assertThat(taken).isPositive().isLessThan((int) sent[0]);
            try (HostSink again = sink.open(HOST)) {
                assertThat(again.positions()).isEqualTo(Map.of(7L, position(taken * 200_000L)));
            }
        }
    }

    @Test
    void oneProcessHasTheHost() throws Exception {
        try (Sink sink = sink(Map.of());
                Sink other = sink(Map.of());
                HostSink out = sink.open(HOST)) {
            assertThat(out.positions()).isEmpty();
            assertThatThrownBy(() -> other.open(HOST)).isInstanceOf(SinkFencedException.class);
        }
    }

    /** A journal that was cut or damaged anywhere tells older positions, never newer ones. */
    @Test
    void believesNoDamagedJournal() throws Exception {
        try (Sink sink = sink(Map.of())) {
            try (HostSink out = sink.open(HOST)) {
                out.commit(Map.of(7L, position(2)));
                out.commit(Map.of(7L, position(4), 8L, position(1)));
            }
            Path journal = directory.resolve("forward/test").resolve(HOST.id()).resolve("positions");
            byte[] whole = Files.readAllBytes(journal);
            for (int at = 0; at < whole.length; at++) {
                byte[] flipped = whole.clone();
                flipped[at] ^= 0x40;
                for (byte[] damaged : List.of(flipped, Arrays.copyOf(whole, at))) {
                    Files.write(journal, damaged);
                    try (HostSink out = sink.open(HOST)) {
                        assertThat(out.positions().getOrDefault(7L, position(0)).offset())
                                .isIn(0L, 2L, 4L);
                        out.commit(Map.of(9L, position(5)));
                    }
                    try (HostSink out = sink.open(HOST)) {
                        assertThat(out.positions()).containsEntry(9L, position(5));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"otlp://collector", "otlp://a:b@c:1", "otlp:///v1/logs", "otlp://h:1?x"})
    void refusesOtherAddresses(String address) {
        assertThatThrownBy(() -> OtlpEndpoint.of(address, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("otlp://collector:4318");
    }

    @ParameterizedTest
    @ValueSource(strings = {"otlp://collector:0", "otlp://collector:65536/v1/logs", "otlp://[::1]:99999"})
    void refusesPortsThatThereAreNot(String address) {
        assertThatThrownBy(() -> OtlpEndpoint.of(address, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("from 1 to 65535");
    }

    @Test
    void sendsNoSecretInTheClear() {
        assertThatThrownBy(() -> OtlpEndpoint.of("otlp://192.0.2.1:4318", Map.of("header.Authorization", "pass")))
                .hasMessageContaining("tls=true")
                .hasMessageNotContaining("pass");
        assertThatThrownBy(() -> OtlpEndpoint.of("otlp://127.0.0.1:4318", Map.of("retry", "1")))
                .hasMessageContaining("knows no property 'retry'");
    }
}
