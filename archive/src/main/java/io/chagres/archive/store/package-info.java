/** Holds stores of immutable objects: the interface and the local directory. */
@NullMarked
package io.chagres.archive.store;

import org.jspecify.annotations.NullMarked;
