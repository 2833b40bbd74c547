package io.chagres.ship.metrics;

import java.util.function.DoubleSupplier;

/** One metric with its value, asked for when somebody looks. Values are in base units: bytes, seconds. */
public sealed interface Metric {
    /** Returns the name without the ending that a counter gets; it ends with its unit. */
    String name();

    /** Returns its meaning, one line. */
    String help();

    /**
     * A number that goes up and down.
     *
     * @param labels as they are written, {@code version="1"}; empty for none
     * @param value NaN while it is unknown
     */
    record Gauge(String name, String help, String labels, DoubleSupplier value) implements Metric {}

    /**
     * A number that only grows.
     *
     * @param labels as they are written, {@code cause="full"}; empty for none
     */
    record Counter(String name, String help, String labels, DoubleSupplier value) implements Metric {}

    /** Durations by classes. */
    record Durations(String name, String help, Histogram histogram) implements Metric {}
}
