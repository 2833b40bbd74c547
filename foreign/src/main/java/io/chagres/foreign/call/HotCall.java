package io.chagres.foreign.call;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A C function that is called per read or per event and takes a buffer or path as its second argument.
 *
 * <p>Capturing errno costs time and often an allocation on every call. So the call is made without
 * it, and one that fails is made again with it; the second result is the true one, whatever it is. Only for functions
 * that a failure leaves without effect. The shared descriptor is explained at {@link CapturedCall}; the segment is
 * kept alive during the first call by the JDK, later pointers by the caller.
 *
 * <p>A record, because the JIT trusts record fields of a constant and then inlines the handle. Safe for any thread;
 * allocates nothing on success.
 *
 * @param handle the linked function without errno
 * @param repeat the same function with errno
 */
public record HotCall(MethodHandle handle, CapturedCall repeat) {
    private static final FunctionDescriptor SECOND_IS_POINTER = FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG);

    /**
     * Links a function.
     *
     * @param name the symbol in the C library
     * @return the call
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static HotCall of(String name) {
        return new HotCall(Downcalls.plain(name, SECOND_IS_POINTER), CapturedCall.of(name));
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param a the first argument
     * @param b the second argument, native memory
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @return the result, or {@code -errno}
     */
    public int callInt(long a, MemorySegment b, long c, long d, long e) {
        int result = (int) uncaptured(a, b, c, d, e, 0);
        return result == -1 ? repeat.callInt(a, b.address(), c, d, e) : result;
    }

    /**
     * Calls a function that returns {@code ssize_t} or {@code off_t}.
     *
     * @param a the first argument
     * @param b the second argument, native memory
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @param f the sixth argument
     * @return the result, or {@code -errno}
     */
    public long callLong(long a, MemorySegment b, long c, long d, long e, long f) {
        long result = uncaptured(a, b, c, d, e, f);
        return result == -1 ? repeat.callLong(a, b.address(), c, d, e, f) : result;
    }

    /**
     * Calls the function once, for callers that repeat a failure in their own way.
     *
     * @param a the first argument
     * @param b the second argument, native memory
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @param f the sixth argument
     * @return the 64-bit register of the result; after a function that returns {@code int} the upper half is undefined
     */
    public long uncaptured(long a, MemorySegment b, long c, long d, long e, long f) {
        try {
            return (long) handle.invokeExact(a, b, c, d, e, f);
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }
}
