/** Holds the command {@code forward}. */
@NullMarked
package io.chagres.cli.forward;

import org.jspecify.annotations.NullMarked;
