/** Holds {@code ship} and {@code drain}. */
@NullMarked
package io.chagres.cli.ship;

import org.jspecify.annotations.NullMarked;
