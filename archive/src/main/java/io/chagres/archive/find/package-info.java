/** Finding lines: patterns over bytes, and the lines of a version that match. */
@NullMarked
package io.chagres.archive.find;

import org.jspecify.annotations.NullMarked;
