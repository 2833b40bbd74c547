/** Watches the names below paths: which exist, how they change, and which file an open descriptor is. */
@NullMarked
package io.chagres.watch;

import org.jspecify.annotations.NullMarked;
