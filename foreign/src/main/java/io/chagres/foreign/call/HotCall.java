package io.chagres.foreign.call;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A C function that is called often: one that may wait, made by {@link #of}, or one that cannot, made by
 * {@link #critical}.
 *
 * <p>Capturing errno costs time and often an allocation on every call. So the call is made without it, and one that
 * returns -1 is made again with it; the second result is the true one. Only for functions that a
 * failure leaves without effect. Where -1 is a result like any other and errno means nothing, use {@link #uncaptured}.
 *
 * <p>A critical call is made without the change of thread state that lets safepoints pass meanwhile: the cheapest call
 * there is. While it runs, every safepoint and with it every other thread waits. So it is only for what ends within
 * microseconds whatever happens, such as arithmetic, memory at hand, and system calls that only look into the kernel;
 * never for a disk, a lock, a network or a function that calls back.
 *
 * <p>A record, because the JIT trusts record fields of a constant and then inlines the handle. Safe for any thread;
 * allocates nothing on success, and on failure what {@link CapturedCall} does.
 *
 * @param handle the linked function without errno: six {@code long}, the segment kept alive
 * @param repeat the same function with errno, never critical
 */
public record HotCall(MethodHandle handle, CapturedCall repeat) implements NativeCall {
    /**
     * Links a function of the C library that may wait.
     *
     * @param name its symbol
     * @return the call
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static HotCall of(String name) {
        return of(Library.C, name);
    }

    /**
     * Links a function that may wait.
     *
     * @param library where it is
     * @param name its symbol
     * @return the call
     * @throws UnsatisfiedLinkError if the library has no such function
     */
    public static HotCall of(Library library, String name) {
        return new HotCall(library.plain(name, CapturedCall.SIX_LONGS_AND_KEPT), CapturedCall.of(library, name));
    }

    /**
     * Links a function of the C library that cannot wait.
     *
     * @param name its symbol
     * @return the call
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static HotCall critical(String name) {
        return critical(Library.C, name);
    }

    /**
     * Links a function that cannot wait.
     *
     * @param library where it is
     * @param name its symbol
     * @return the call
     * @throws UnsatisfiedLinkError if the library has no such function
     */
    public static HotCall critical(Library library, String name) {
        return new HotCall(library.critical(name, CapturedCall.SIX_LONGS_AND_KEPT), CapturedCall.of(library, name));
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
