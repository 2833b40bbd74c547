/**
 * Holds one class per kernel object. Hot methods return the kernel's value or -errno; cold ones throw
 * {@link io.chagres.foreign.ErrnoException}. Names are bytes: {@link io.chagres.linux.Pathname}.
 */
@NullMarked
package io.chagres.linux;

import org.jspecify.annotations.NullMarked;
