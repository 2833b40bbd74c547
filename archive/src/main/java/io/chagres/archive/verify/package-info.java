/** Holds checking: whether every object of an archive is there and says what it must. */
@NullMarked
package io.chagres.archive.verify;

import org.jspecify.annotations.NullMarked;
