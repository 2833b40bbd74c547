/**
 * Holds the command line: one class per command. Commands parse, call one object of a module below, and print; {@link
 * io.chagres.cli.Main} alone turns failures into sentences and exit codes, and threads start only here.
 */
@NullMarked
package io.chagres.cli;

import org.jspecify.annotations.NullMarked;
