package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.sinks.otlp.Collector;
import io.chagres.testkit.Await;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Seeds;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Lines at a collector of OpenTelemetry: each at least once, in order, whatever dies or refuses on the way. */
@Tag("e2e")
@ExtendWith(FaultBench.Extension.class)
class ForwardOtlpTest {
    private static final int ROUNDS = 6;

    @Test
    void eachLineAtLeastOnce(FaultBench bench) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("ForwardOtlpTest"));
        try (Collector collector = new Collector();
                LineWriter writer = bench.writer("stream").open(bench.file("app.log"))) {
            ShipProcess ship = bench.ship();
            for (int round = 0; round < ROUNDS; round++) {
                writer.lines(1 + random.nextInt(20_000));
                ship.awaitSettled();
                for (int refused = random.nextInt(3); refused > 0; refused--) {
                    collector.answers.add(Collector.Answer.of(503));
                }
                try (ForwardProcess forward = forward(bench, collector)) {
                    int taken = collector.taken.size();
                    Await.until("something is taken", () -> collector.taken.size() > taken);
                    forward.kill();
                }
            }
            ship.drain();
            try (ForwardProcess last = forward(bench, collector, "--once")) {
                assertThat(last.awaitExit()).as(last.said()).isZero();
            }
            Map<Long, String> lines = lines(collector);
            assertThat(lines).hasSize(Math.toIntExact(writer.written()));
            long expected = 0;
            for (Map.Entry<Long, String> line : lines.entrySet()) {
                assertThat(line.getKey()).isEqualTo(expected);
                expected += line.getValue().length() + 1;
            }
        }
    }

    /** What is said at the end is what the collector took, also where it refused one of several requests. */
    @Test
    void countsWhatWasTakenAroundARefusal(FaultBench bench) throws IOException {
        try (Collector collector = new Collector();
                LineWriter writer = bench.writer("stream").open(bench.file("app.log"))) {
            ShipProcess ship = bench.ship();
            writer.lines(40_000);
            ship.drain();
            collector.answers.add(Collector.Answer.of(200));
            collector.answers.add(Collector.Answer.of(503));
            try (ForwardProcess once = forward(bench, collector, "--once")) {
                assertThat(once.awaitExit()).as(once.said()).isZero();
                assertThat(collector.taken.size()).isGreaterThan(2);
                assertThat(lines(collector)).hasSize(Math.toIntExact(writer.written()));
                assertThat(once.said()).contains("published " + writer.written() + " records, ");
            }
        }
    }

    /** A commit that somebody else put is not published, nor is anything after it. */
    @Test
    void publishesWhatSignaturesProve(FaultBench bench) throws IOException {
        try (Collector collector = new Collector();
                LineWriter writer = bench.writer("stream").open(bench.file("app.log"))) {
            ShipProcess ship = bench.ship("--sign");
            writer.lines(1_000);
            ship.drain();
            Archive archive = bench.archive();
            byte[] key = archive.ok(
                    "head", FaultBench.HOST, "--key", "--state", bench.state().toString());
            Path trust = Files.write(bench.root().resolve("trust"), key);
            try (ForwardProcess once = forward(bench, collector, "--once", "--trust", trust.toString())) {
                assertThat(once.awaitExit()).as(once.said()).isZero();
                assertThat(lines(collector)).hasSize(Math.toIntExact(writer.written()));
            }
            Path elsewhere = bench.root().resolve("elsewhere"); // a machine of the same name that lacks the key
            bench.shipping()
                    .paths(bench.tree())
                    .state(elsewhere)
                    .options("--once", "--take-over")
                    .here()
                    .awaitExit();
            try (ForwardProcess once = forward(bench, collector, "--once", "--trust", trust.toString())) {
                assertThat(once.awaitExit()).as(once.said()).isEqualTo(1);
                assertThat(once.said()).contains("signed");
                assertThat(lines(collector)).hasSize(1_000);
            }
        }
    }

    private static ForwardProcess forward(FaultBench bench, Collector collector, String... options) {
        List<String> arguments = new ArrayList<>(List.of(
                bench.address(),
                "--to",
                collector.address(),
                "--state",
                bench.root().resolve("forwarded").toString()));
        arguments.addAll(List.of(options));
        return ForwardProcess.start(bench.root().resolve("forward.log"), arguments.toArray(String[]::new));
    }

    /** Returns the collector's records by offset; records sent twice were the same. */
    private static Map<Long, String> lines(Collector collector) {
        Map<Long, String> lines = new TreeMap<>();
        for (ExportLogsServiceRequest request : collector.taken) {
            for (ResourceLogs file : request.getResourceLogsList()) {
                for (LogRecord line : file.getScopeLogs(0).getLogRecordsList()) {
                    String text = line.getBody().getStringValue();
                    String had = lines.put(offset(line), text);
                    assertThat(had == null ? text : had).isEqualTo(text);
                }
            }
        }
        return lines;
    }

    private static long offset(LogRecord line) {
        return line.getAttributesList().stream()
                .filter(each -> each.getKey().equals("chagres.offset"))
                .map(KeyValue::getValue)
                .findFirst()
                .orElseThrow()
                .getIntValue();
    }
}
