package io.chagres.foreign.call;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A C function that cannot wait, called without the change of thread state that lets safepoints pass meanwhile: the
 * cheapest call there is.
 *
 * <p>While it runs, every safepoint and with it every other thread waits. So it is only for what ends within
 * microseconds whatever happens, such as arithmetic, memory at hand, and system calls that only look into the kernel;
 * never for a disk, a lock, a network or a function that calls back. errno is learnt as by {@link HotCall}, by a second
 * call.
 *
 * <p>A record, because the JIT trusts record fields of a constant and then inlines the handle. Safe for any thread;
 * allocates nothing on success, and
 * on failure what {@link CapturedCall} does.
 *
 * @param handle the linked function, critical and without errno: six {@code long}, the segment kept alive
 * @param repeat the same function with errno, not critical
 */
public record CriticalCall(MethodHandle handle, CapturedCall repeat) implements NativeCall {
    /**
     * Links a function of the C library.
     *
     * @param name its symbol
     * @return the call
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static CriticalCall of(String name) {
        return of(Library.C, name);
    }

    /**
     * Links a function.
     *
     * @param library where it is
     * @param name its symbol
     * @return the call
     * @throws UnsatisfiedLinkError if the library has no such function
     */
    public static CriticalCall of(Library library, String name) {
        return new CriticalCall(
                library.critical(name, CapturedCall.SIX_LONGS_AND_KEPT), CapturedCall.of(library, name));
    }

    @Override
    public int callInt(MemorySegment kept, long a, long b, long c, long d, long e) {
        int result = (int) uncaptured(kept, a, b, c, d, e, 0);
        return result == -1 ? repeat.callInt(kept, a, b, c, d, e) : result;
    }

    @Override
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
