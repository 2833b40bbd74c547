/** Holds what every command needs: the process around it, options that several take, output and its live lines. */
@NullMarked
package io.chagres.cli.command;

import org.jspecify.annotations.NullMarked;
