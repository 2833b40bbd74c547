/**
 * How a C function is called and where its error number comes from.
 *
 * <p>{@link io.chagres.foreign.call.HotCall} is for calls made per read or per event,
 * {@link io.chagres.foreign.call.CapturedCall} for all others; both give the kernel's result or {@code -errno}.
 * {@link io.chagres.foreign.call.Downcalls} links what fits neither. This package is exported to the modules that
 * bind kernel interfaces and to nobody else.
 */
@NullMarked
package io.chagres.foreign.call;

import org.jspecify.annotations.NullMarked;
