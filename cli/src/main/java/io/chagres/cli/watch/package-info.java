/** Holds {@code watch}. */
@NullMarked
package io.chagres.cli.watch;

import org.jspecify.annotations.NullMarked;
