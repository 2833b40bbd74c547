/** Holds following: what is committed to an archive, as soon as it is. */
@NullMarked
package io.chagres.archive.follow;

import org.jspecify.annotations.NullMarked;
