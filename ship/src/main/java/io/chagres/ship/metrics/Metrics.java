package io.chagres.ship.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;

/**
 * The registry: every published number by its name. Everything that shows one asks here, so that each is computed in
 * one place. Filled by one thread, then safe for any: values may be a moment old.
 */
public final class Metrics {
    /** The media type of {@link #text} for Prometheus. */
    public static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    /** The media type of {@link #text} for OpenMetrics. */
    public static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static final double MS_PER_SECOND = 1000.0;
    private static final List<String> UNITS = List.of("bytes", "seconds");

    private final List<Metric> all = new ArrayList<>();

    /** Makes an empty registry. */
    public Metrics() {}

    /** Adds a gauge, which goes up and down. */
    public Metrics gauge(String name, String help, DoubleSupplier value) {
        all.add(new Metric.Gauge(name, help, "", value));
        return this;
    }

    /** Adds a gauge, one of several of its name, which follow each other; see {@link #label}. */
    public Metrics gauge(String name, String help, String labels, DoubleSupplier value) {
        all.add(new Metric.Gauge(name, help, labels, value));
        return this;
    }

    /** Returns a label as it is written. */
    public static String label(String name, String value) {
        return name + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    /** Adds a fact that never changes and stands in its labels. */
    public Metrics info(String name, String help, String labels) {
        all.add(new Metric.Gauge(name, help, labels, () -> 1));
        return this;
    }

    /** Adds a counter, which only grows. */
    public Metrics counter(String name, String help, DoubleSupplier value) {
        return counter(name, help, "", value);
    }

    /** Adds a counter, one of several of its name, which follow each other. */
    public Metrics counter(String name, String help, String labels, DoubleSupplier value) {
        all.add(new Metric.Counter(name, help, labels, value));
        return this;
    }

    /** Adds durations. */
    public Metrics durations(String name, String help, Histogram histogram) {
        all.add(new Metric.Durations(name, help, histogram));
        return this;
    }

    /** Returns all metrics, in the order in which they are published. */
    public List<Metric> all() {
        return List.copyOf(all);
    }

    /**
     * Returns the text that collectors read.
     *
     * @param open whether it is that of OpenMetrics 1.0, else that of Prometheus 0.0.4
     */
    public String text(boolean open) {
        StringBuilder text = new StringBuilder();
        String told = "";
        for (Metric metric : all) {
            if (!metric.name().equals(told)) {
                head(metric, open, text);
                told = metric.name();
            }
            switch (metric) {
                case Metric.Gauge gauge ->
                    sample(text, gauge.name(), gauge.labels(), gauge.value().getAsDouble());
                case Metric.Counter counter ->
                    sample(
                            text,
                            counter.name() + "_total",
                            counter.labels(),
                            counter.value().getAsDouble());
                case Metric.Durations durations -> durations(text, durations);
            }
        }
        return open ? text.append("# EOF\n").toString() : text.toString();
    }

    private static void head(Metric metric, boolean open, StringBuilder text) {
        String type =
                switch (metric) {
                    case Metric.Gauge _ -> "gauge";
                    case Metric.Counter _ -> "counter";
                    case Metric.Durations _ -> "histogram";
                };
        String family = metric instanceof Metric.Counter && !open ? metric.name() + "_total" : metric.name();
        text.append("# HELP ").append(family).append(' ').append(metric.help()).append('\n');
        text.append("# TYPE ").append(family).append(' ').append(type).append('\n');
        String unit = family.substring(family.lastIndexOf('_') + 1);
        if (open && UNITS.contains(unit)) {
            text.append("# UNIT ").append(family).append(' ').append(unit).append('\n');
        }
    }

    private static void durations(StringBuilder text, Metric.Durations durations) {
        Histogram histogram = durations.histogram();
        long count = 0;
        for (int i = 0; i < histogram.bounds(); i++) {
            count += histogram.count(i);
            String bound = Double.toString(histogram.boundMs(i) / MS_PER_SECOND);
            sample(text, durations.name() + "_bucket", "le=\"" + bound + "\"", (double) count);
        }
        count += histogram.count(histogram.bounds());
        sample(text, durations.name() + "_bucket", "le=\"+Inf\"", (double) count);
        sample(text, durations.name() + "_sum", "", histogram.sumMs() / MS_PER_SECOND);
        sample(text, durations.name() + "_count", "", (double) count);
    }

    private static void sample(StringBuilder text, String name, String labels, double value) {
        text.append(name);
        if (!labels.isEmpty()) {
            text.append('{').append(labels).append('}');
        }
        text.append(' ').append(number(value)).append('\n');
    }

    private static String number(double value) {
        boolean whole = value == Math.rint(value) && Math.abs(value) < 1L << 53;
        return whole ? Long.toString((long) value) : Double.toString(value);
    }
}
