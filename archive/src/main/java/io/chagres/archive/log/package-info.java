/** Holds the log of a host: the commits that are appended and read, and data objects. */
@NullMarked
package io.chagres.archive.log;

import org.jspecify.annotations.NullMarked;
