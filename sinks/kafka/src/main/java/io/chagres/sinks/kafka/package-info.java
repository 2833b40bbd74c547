/** Holds the sink in Kafka: records and positions in one transaction. */
@NullMarked
package io.chagres.sinks.kafka;

import org.jspecify.annotations.NullMarked;
