@NullMarked
package io.chagres.sinks.otlp;

import org.jspecify.annotations.NullMarked;
