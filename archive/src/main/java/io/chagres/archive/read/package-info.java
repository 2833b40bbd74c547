/** Holds reading: what an address and a selection mean, and the bytes of a version. */
@NullMarked
package io.chagres.archive.read;

import org.jspecify.annotations.NullMarked;
