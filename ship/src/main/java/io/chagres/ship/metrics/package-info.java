/** Metrics and how they are published: plain fields where things happen, one registry of them for all who ask. */
@NullMarked
package io.chagres.ship.metrics;

import org.jspecify.annotations.NullMarked;
