/**
 * Holds the program: its commands, one package for each thing a person does, and {@link io.chagres.cli.Main}, which
 * alone turns failures into sentences and exit codes. A command parses, hands paths, threads and a
 * listener to an object of the modules below, and prints what that tells.
 */
@NullMarked
package io.chagres.cli;

import org.jspecify.annotations.NullMarked;
