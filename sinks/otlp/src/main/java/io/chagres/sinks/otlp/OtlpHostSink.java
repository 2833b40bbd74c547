package io.chagres.sinks.otlp;

import com.google.protobuf.ByteString;
import io.chagres.archive.HostRegistry;
import io.chagres.forward.ForwardedRecord;
import io.chagres.forward.HostSink;
import io.chagres.forward.Position;
import io.chagres.forward.SinkException;
import io.chagres.linux.Pathname;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsPartialSuccess;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One host's requests. A resource is a file of the host, and a request holds up to some MiB. Positions are written
 * after each request that was taken: one that is refused is sent again alone.
 */
final class OtlpHostSink implements HostSink {
    /** The bytes that a record takes beside its value. */
    private static final long RECORD_BYTES = 256;

    private final OtlpEndpoint endpoint;
    private final HostRegistry.Owner host;
    private final PositionJournal journal;
    private final Consumer<ExportLogsPartialSuccess> refusals;
    private final Map<Pathname, ScopeLogs.Builder> files = new LinkedHashMap<>();
    private final Map<Long, Position> after = new HashMap<>();
    private long bytes;

    /**
     * Takes over the journal.
     *
     * @param refusals takes answers that are not wholly good
     */
    OtlpHostSink(
            OtlpEndpoint endpoint,
            HostRegistry.Owner host,
            PositionJournal journal,
            Consumer<ExportLogsPartialSuccess> refusals) {
        this.endpoint = endpoint;
        this.host = host;
        this.journal = journal;
        this.refusals = refusals;
    }

    @Override
    public Map<Long, Position> positions() {
        return Map.copyOf(journal.positions());
    }

    @Override
    public boolean send(ForwardedRecord record, Position then) throws IOException {
        files.computeIfAbsent(record.path(), path -> scope()).addLogRecords(log(record));
        after.put(record.version(), then);
        bytes += record.value().length + RECORD_BYTES;
        if (bytes < endpoint.requestBytes()) {
            return false;
        }
        request();
        journal.move(after);
        after.clear();
        return true;
    }

    @Override
    public void commit(Map<Long, Position> moved) throws IOException {
        if (!files.isEmpty()) {
            request();
        }
        journal.move(moved);
        after.clear();
    }

    private void request() throws SinkException {
        ExportLogsServiceRequest.Builder request = ExportLogsServiceRequest.newBuilder();
        files.forEach((path, logs) -> request.addResourceLogs(
                ResourceLogs.newBuilder().setResource(resource(path)).addScopeLogs(logs)));
        ExportLogsPartialSuccess partial = endpoint.export(request.build());
        if (partial.getRejectedLogRecords() > 0 || !partial.getErrorMessage().isEmpty()) {
            refusals.accept(partial);
        }
        files.clear();
        bytes = 0;
    }

    private static ScopeLogs.Builder scope() {
        return ScopeLogs.newBuilder().setScope(InstrumentationScope.newBuilder().setName("chagres"));
    }

    private Resource resource(Pathname path) {
        return Resource.newBuilder()
                .addAttributes(attribute("host.name", text(host.name())))
                .addAttributes(attribute("host.id", text(host.id())))
                .addAttributes(attribute("log.file.path", text(path)))
                .addAttributes(attribute("log.file.name", text(path.name())))
                .build();
    }

    private static LogRecord log(ForwardedRecord record) {
        LogRecord.Builder log = LogRecord.newBuilder()
                .setObservedTimeUnixNano(TimeUnit.MILLISECONDS.toNanos(record.committedMs()))
                .addAttributes(attribute("chagres.version", number(record.version())))
                .addAttributes(attribute("chagres.file", text(record.file().text())))
                .addAttributes(attribute("chagres.offset", number(record.offset())));
        if (record.line() != ForwardedRecord.WHOLE) {
            log.addAttributes(attribute("chagres.line", number(record.line())));
            log.addAttributes(attribute("chagres.part", text(record.last() ? "last" : "more")));
        }
        if (record.event().isEmpty()) {
            log.setBody(value(ByteString.copyFrom(record.value())));
        } else {
            log.setEventName("chagres.file." + record.event());
        }
        if (record.name() != null) {
            log.addAttributes(attribute("chagres.name", text(record.name())));
        }
        return log.build();
    }

    /** Text is UTF-8 in protobuf; other values stay bytes. */
    private static AnyValue value(ByteString bytes) {
        AnyValue.Builder value = AnyValue.newBuilder();
        return (bytes.isValidUtf8() ? value.setStringValueBytes(bytes) : value.setBytesValue(bytes)).build();
    }

    private static AnyValue text(Pathname path) {
        return value(ByteString.copyFrom(path.bytes()));
    }

    private static AnyValue text(String text) {
        return AnyValue.newBuilder().setStringValue(text).build();
    }

    private static AnyValue number(long number) {
        return AnyValue.newBuilder().setIntValue(number).build();
    }

    private static KeyValue attribute(String key, AnyValue value) {
        return KeyValue.newBuilder().setKey(key).setValue(value).build();
    }

    @Override
    public void close() {
        journal.close();
    }
}
