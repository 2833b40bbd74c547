package io.chagres.sinks.otlp;

import io.chagres.archive.HostRegistry;
import io.chagres.forward.HostSink;
import io.chagres.forward.Position;
import io.chagres.forward.Sink;
import io.chagres.forward.SinkSettings;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsPartialSuccess;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A forwarding to one collector. A collector keeps no positions, so a journal of this machine does: what was sent, and
 * not answered or not written down before the end of the process, is sent again.
 */
final class OtlpSink implements Sink {
    private final OtlpEndpoint endpoint;
    private final SinkSettings settings;

    /** Positions of each host that could not be written down: without them lines would be sent again and again. */
    private final Map<String, Map<Long, Position>> unsaved = new HashMap<>();

    private long refusedRecords;

    OtlpSink(OtlpEndpoint endpoint, SinkSettings settings) {
        this.endpoint = endpoint;
        this.settings = settings;
    }

    @Override
    public int maxValueBytes() {
        return endpoint.maxValueBytes();
    }

    @Override
    public HostSink open(HostRegistry.Owner host) throws IOException {
        PositionJournal positions = PositionJournal.open(
                settings.state().resolve("forward").resolve(settings.name()).resolve(host.id()),
                host,
                unsaved.computeIfAbsent(host.id(), id -> new TreeMap<>()));
        return new OtlpHostSink(endpoint, host, positions, answer -> refused(host, answer));
    }

    /** Takes an answer that is not wholly good: what it refuses is not to be sent again. */
    private void refused(HostRegistry.Owner host, ExportLogsPartialSuccess answer) {
        refusedRecords += answer.getRejectedLogRecords();
        settings.warnings()
                .accept(host.title() + ": the collector refused " + answer.getRejectedLogRecords()
                        + " log records, which are not sent again: " + answer.getErrorMessage());
    }

    @Override
    public long refusedRecords() {
        return refusedRecords;
    }

    @Override
    public void close() {
        endpoint.close();
    }
}
