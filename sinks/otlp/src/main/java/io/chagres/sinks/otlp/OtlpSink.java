package io.chagres.sinks.otlp;

import io.chagres.archive.HostRegistry;
import io.chagres.forward.HostSink;
import io.chagres.forward.Sink;
import io.chagres.forward.SinkSettings;
import java.io.IOException;

/**
 * A forwarding to one collector. A collector keeps no positions, so a journal of this machine does: what was sent, and
 * not answered or not written down before the end, is sent again.
 */
final class OtlpSink implements Sink {
    private final OtlpEndpoint endpoint;
    private final SinkSettings settings;

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
                settings.state().resolve("forward").resolve(settings.name()).resolve(host.id()), host);
        return new OtlpHostSink(endpoint, host, positions, settings.warnings());
    }

    @Override
    public void close() {
        endpoint.close();
    }
}
