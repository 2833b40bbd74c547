package io.chagres.foreign.call;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A C function whose errno is captured in the call itself: for everything that is not called per read or event, and
 * for whatever must not be repeated to learn why it failed.
 *
 * <p>All functions share one descriptor of six {@code long} and a pointer. The calling conventions of x86-64 and
 * aarch64 pass every integer and pointer in a 64-bit register of which the callee reads what its C type says, and
 * arguments the
 * function has no parameter for do no harm. So pointers travel as addresses, which need no object, and the seventh
 * argument, which no function looks at, is a segment that the JDK keeps from being freed during the call, refusing heap
 * memory and freed memory. Other memory whose address is passed is kept alive by the caller.
 *
 * <p>A record, because the JIT trusts record fields of a constant and then inlines the handle. Safe for any thread. The
 * JDK allocates 40 bytes per captured call where the JIT does not remove them.
 *
 * @param handle the linked function: call state, six {@code long}, the segment kept alive
 */
public record CapturedCall(MethodHandle handle) {
    static final FunctionDescriptor SIX_LONGS_AND_KEPT = FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.ADDRESS);

    /**
     * Links a function.
     *
     * @param name the symbol in the C library
     * @return the call
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static CapturedCall of(String name) {
        return new CapturedCall(Downcalls.captured(name, SIX_LONGS_AND_KEPT));
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param a the first argument
     * @return the result, or {@code -errno}
     */
    public int callInt(long a) {
        return callInt(a, 0, 0, 0, 0);
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param a the first argument
     * @param b the second argument
     * @return the result, or {@code -errno}
     */
    public int callInt(long a, long b) {
        return callInt(a, b, 0, 0, 0);
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @return the result, or {@code -errno}
     */
    public int callInt(long a, long b, long c) {
        return callInt(a, b, c, 0, 0);
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @param d the fourth argument
     * @return the result, or {@code -errno}
     */
    public int callInt(long a, long b, long c, long d) {
        return callInt(a, b, c, d, 0);
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @return the result, or {@code -errno}
     */
    public int callInt(long a, long b, long c, long d, long e) {
        return callInt(MemorySegment.NULL, a, b, c, d, e);
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
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment state = frame.allocate(Downcalls.CALL_STATE);
            // The upper half of the register is unspecified after a function that returns int.
            int result = (int) (long) handle.invokeExact(state, a, b, c, d, e, 0L, kept);
            return result == -1 ? -Downcalls.errno(state) : result;
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    /**
     * Calls a function that returns {@code long}, {@code ssize_t} or {@code off_t}.
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
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment state = frame.allocate(Downcalls.CALL_STATE);
            long result = (long) handle.invokeExact(state, a, b, c, d, e, f, kept);
            return result == -1 ? -Downcalls.errno(state) : result;
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }
}
