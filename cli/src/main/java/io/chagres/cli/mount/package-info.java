/** Holds {@code mount} and {@code umount}. */
@NullMarked
package io.chagres.cli.mount;

import org.jspecify.annotations.NullMarked;
