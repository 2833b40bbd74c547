/**
 * How C functions and system calls are called, and where their error number comes from.
 *
 * <p>{@link io.chagres.foreign.call.NativeCall} says which class to choose. Its implementations serve every function
 * of up to six integers or pointers; {@link io.chagres.foreign.call.Library} links all others,
 * {@link io.chagres.foreign.call.FunctionPointer} calls what has only an address, and
 * {@link io.chagres.foreign.call.Callback} lets C call Java.
 *
 * <p>{@snippet :
 * private static final HotCall ACCESS = HotCall.of("faccessat");
 *
 * static boolean exists(MemorySegment cString) {
 *     int result = ACCESS.callInt(cString, AT_FDCWD, cString.address(), 0, 0, 0);
 *     return result != -Errno.ENOENT;
 * }
 * }
 */
@NullMarked
package io.chagres.foreign.call;

import org.jspecify.annotations.NullMarked;
