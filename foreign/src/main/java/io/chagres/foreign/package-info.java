/**
 * Native memory and error numbers, without policy.
 *
 * <p>Every native byte has one owner and one moment of death: a {@link io.chagres.foreign.Frame} of a
 * {@link io.chagres.foreign.MemoryStack} dies with the call that pushed it, a buffer of a
 * {@link io.chagres.foreign.BufferPool} with the pool, and everything else with the {@code close()} of the object
 * that holds it. Error numbers travel as negative results and become an
 * {@link io.chagres.foreign.ErrnoException} only on cold paths.
 *
 * <p>All restricted methods of {@code java.lang.foreign} are called in this module only, so that
 * {@code --enable-native-access=io.chagres.foreign} is enough to run everything.
 */
@NullMarked
package io.chagres.foreign;

import org.jspecify.annotations.NullMarked;
