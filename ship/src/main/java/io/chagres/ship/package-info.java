/**
 * Follows files and ships every new byte once: one {@link io.chagres.ship.Shipper} reads files as
 * {@code io.chagres.watch} reports changes, and commits what it read to the log of its host.
 */
@NullMarked
package io.chagres.ship;

import org.jspecify.annotations.NullMarked;
