package io.chagres.sinks.kafka;

import io.chagres.forward.SinkException;

/** Failures of Kafka's client as those of a sink. Stateless. */
final class KafkaFailure {
    private KafkaFailure() {}

    static SinkException of(Exception cause) {
        return new SinkException("Kafka: " + message(cause), cause);
    }

    /** Returns what the first cause says. */
    static String message(Exception cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }
}
