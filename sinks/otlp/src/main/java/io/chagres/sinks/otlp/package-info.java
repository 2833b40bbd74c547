/** Holds the sink in OpenTelemetry: lines as log records over OTLP, at least once. */
@NullMarked
package io.chagres.sinks.otlp;

import org.jspecify.annotations.NullMarked;
