package io.chagres.mount;

import io.chagres.archive.state.LocalTables;
import java.util.concurrent.ExecutorService;
import java.util.function.LongSupplier;

/** The parts of the program around it that a mount uses. Immutable.
 *
 * @param threads read from the store, as many at once as there are threads; shut down with the mount
 * @param clockMs time that only goes forward, milliseconds from any origin
 * @param listener hears what people should know
 * @param tables keep large hosts outside the memory; closed with the mount
 */
public record MountContext(ExecutorService threads, LongSupplier clockMs, MountListener listener, LocalTables tables) {}
