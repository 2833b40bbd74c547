/** Holds the commands that look after an archive: {@code verify} and {@code compact}. */
@NullMarked
package io.chagres.cli.maintain;

import org.jspecify.annotations.NullMarked;
