/** Holds {@code dedupe}. */
@NullMarked
package io.chagres.cli.dedupe;

import org.jspecify.annotations.NullMarked;
