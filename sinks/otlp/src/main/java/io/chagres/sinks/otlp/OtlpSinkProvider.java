package io.chagres.sinks.otlp;

import io.chagres.forward.Sink;
import io.chagres.forward.SinkProvider;
import io.chagres.forward.SinkSettings;

/**
 * Opens {@code otlp://HOST:PORT} and {@code otlp://HOST:PORT/PATH}: logs over HTTP in protobuf, see the specification
 * of OTLP 1.5. Stateless.
 */
public final class OtlpSinkProvider implements SinkProvider {
    /** Made by {@link java.util.ServiceLoader}. */
    public OtlpSinkProvider() {}

    @Override
    public String scheme() {
        return OtlpEndpoint.SCHEME;
    }

    @Override
    public Sink open(String address, SinkSettings settings) {
        return new OtlpSink(OtlpEndpoint.of(address, settings.properties()), settings);
    }
}
