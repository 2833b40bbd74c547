/** Copies: bytes of a file that the archive holds already, of another version. */
@NullMarked
package io.chagres.ship.copy;

import org.jspecify.annotations.NullMarked;
