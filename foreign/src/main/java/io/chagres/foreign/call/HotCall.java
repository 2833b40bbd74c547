package io.chagres.foreign.call;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A C function that is called per read or per event.
 *
 * <p>Capturing errno costs time and often an allocation on every call. So the call is made without it, and one that
 * fails is made again with it; the second result is the true one, whatever it is. Only for functions that a failure
 * leaves without effect. Arguments are those of {@link CapturedCall}: addresses, because a slice of a segment is an
 * object that the JIT does not always remove, and one segment that is kept alive.
 *
 * <p>A record, because the JIT trusts record fields of a constant and then inlines the handle. Safe for any thread;
 * allocates nothing on success.
 *
 * @param handle the linked function without errno: six {@code long}, the segment kept alive
 * @param repeat the same function with errno
 */
public record HotCall(MethodHandle handle, CapturedCall repeat) {
    /**
     * Links a function.
     *
     * @param name the symbol in the C library
     * @return the call
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static HotCall of(String name) {
        return new HotCall(Downcalls.plain(name, CapturedCall.SIX_LONGS_AND_KEPT), CapturedCall.of(name));
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param kept native memory that must not be freed during the call
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @return the result, or {@code -errno}
     */
    public int callInt(MemorySegment kept, long a, long b, long c, long d, long e) {
        int result = (int) uncaptured(kept, a, b, c, d, e, 0);
        return result == -1 ? repeat.callInt(kept, a, b, c, d, e) : result;
    }

    /**
     * Calls a function that returns {@code ssize_t} or {@code off_t}.
     *
     * @param kept native memory that must not be freed during the call
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @param f the sixth argument
     * @return the result, or {@code -errno}
     */
    public long callLong(MemorySegment kept, long a, long b, long c, long d, long e, long f) {
        long result = uncaptured(kept, a, b, c, d, e, f);
        return result == -1 ? repeat.callLong(kept, a, b, c, d, e, f) : result;
    }

    /**
     * Calls the function once, for callers that repeat a failure in their own way.
     *
     * @param kept native memory that must not be freed during the call
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @param f the sixth argument
     * @return the 64-bit register of the result; after a function that returns {@code int} the upper half is undefined
     */
    public long uncaptured(MemorySegment kept, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) handle.invokeExact(a, b, c, d, e, f, kept);
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }
}
