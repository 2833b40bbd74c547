package io.chagres.sinks.kafka;

import io.chagres.forward.Sink;
import io.chagres.forward.SinkProvider;
import io.chagres.forward.SinkSettings;
import java.util.Map;

/**
 * Opens {@code kafka://HOST:PORT,HOST:PORT/TOPIC}. The topic may hold {@code {host}}, {@code {dir}} and {@code {name}}.
 * Everything else of the connection (TLS, SASL, compression, batching) is what Kafka's own clients take as properties.
 * Stateless.
 */
public final class KafkaSinkProvider implements SinkProvider {
    /** Made by {@link java.util.ServiceLoader}. */
    public KafkaSinkProvider() {}

    @Override
    public String scheme() {
        return KafkaAddress.SCHEME;
    }

    @Override
    public void check(String address, Map<String, String> properties) {
        KafkaAddress.parse(address);
        new KafkaSettings("", properties).check();
    }

    @Override
    public Sink open(String address, SinkSettings settings) {
        KafkaSettings clients = new KafkaSettings(settings.name(), settings.properties());
        clients.check();
        return new KafkaSink(
                KafkaAddress.parse(address),
                clients,
                settings.origin(),
                settings.takeOver(),
                new TransactionWait(TransactionWait.USUAL_MS, settings.warnings()));
    }
}
