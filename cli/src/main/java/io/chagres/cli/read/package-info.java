/** Holds the commands that read an archive: {@code ls}, {@code cat}, {@code tail} and {@code restore}. */
@NullMarked
package io.chagres.cli.read;

import org.jspecify.annotations.NullMarked;
