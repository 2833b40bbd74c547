/** The command line: the only place where threads start, and where a failure becomes a sentence and an exit code. */
@NullMarked
package io.chagres.cli;

import org.jspecify.annotations.NullMarked;
