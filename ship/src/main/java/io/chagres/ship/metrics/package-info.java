/** What is counted, and how it is published: plain fields where it happens, one registry of them for all who ask. */
@NullMarked
package io.chagres.ship.metrics;

import org.jspecify.annotations.NullMarked;
