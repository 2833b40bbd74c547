/** A directory that is kept equal to another one. */
@NullMarked
package io.chagres.examples.mirror;

import org.jspecify.annotations.NullMarked;
