/** The bytes of a version: their checksums, and whether the file still holds them. */
@NullMarked
package io.chagres.ship.bytes;

import org.jspecify.annotations.NullMarked;
