/** The work on files: they are found, get their turns, are read, verified, compared and uploaded. */
@NullMarked
package io.chagres.ship.follow;

import org.jspecify.annotations.NullMarked;
