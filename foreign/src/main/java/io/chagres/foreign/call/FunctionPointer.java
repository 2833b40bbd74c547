package io.chagres.foreign.call;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Calls C functions whose address is known only at run time, such as one that C hands to a callback. As fast as a
 * function linked by name: the address is an argument of one constant handle.
 *
 * <p>The function takes up to six integers or pointers, see {@link NativeCall}. Memory whose address is passed is kept
 * alive by the caller. errno is not looked at. A wrong address ends the JVM. Safe for any thread; allocates nothing.
 */
@SuppressWarnings("restricted")
public final class FunctionPointer {
    private static final FunctionDescriptor SIX_LONGS = FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG);
    private static final MethodHandle PLAIN = plain(SIX_LONGS);
    private static final MethodHandle CRITICAL = critical(SIX_LONGS);

    private FunctionPointer() {}

    /**
     * Calls a function that may wait or call back.
     *
     * @param function its address
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @param f the sixth argument
     * @return the 64-bit register of the result; after a function that returns {@code int} the upper half is undefined
     */
    public static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) PLAIN.invokeExact(function, a, b, c, d, e, f);
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    /**
     * Calls a function that cannot wait and calls nothing back: see {@link HotCall} for what that forbids.
     *
     * @param function its address
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @param f the sixth argument
     * @return the 64-bit register of the result; after a function that returns {@code int} the upper half is undefined
     */
    public static long callCritical(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) CRITICAL.invokeExact(function, a, b, c, d, e, f);
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    /**
     * Links all functions of another signature that may wait or call back. Keep the handle in a {@code static final}
     * field.
     *
     * @param descriptor the C signature
     * @return the handle; its first argument is the address of the function
     */
    public static MethodHandle plain(FunctionDescriptor descriptor) {
        return Library.LINKER.downcallHandle(descriptor);
    }

    /**
     * Links all functions of another signature that cannot wait and call nothing back. Keep the handle in a
     * {@code static final} field.
     *
     * @param descriptor the C signature
     * @return the handle; its first argument is the address of the function
     */
    public static MethodHandle critical(FunctionDescriptor descriptor) {
        return Library.LINKER.downcallHandle(descriptor, Linker.Option.critical(false));
    }
}
