/** Tells which names exist below watched paths, how they change, and which file an open descriptor is. */
@NullMarked
package io.chagres.watch;

import org.jspecify.annotations.NullMarked;
