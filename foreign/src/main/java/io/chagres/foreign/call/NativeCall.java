package io.chagres.foreign.call;

import java.lang.foreign.MemorySegment;

/**
 * A C function or system call that takes up to six integers or pointers and returns one, or {@code -errno}.
 *
 * <p>The calling conventions of x86-64 and aarch64 pass every integer and pointer in a 64-bit register. The callee
 * reads the part that its C type has, and arguments the function has no parameter for do no harm. So one descriptor of
 * six {@code long} serves all such functions. Pointers travel as addresses, which need no object; the memory behind
 * <em>one</em> of them is given as a segment too, which the JDK keeps from being freed during the call, refusing heap
 * memory and freed memory. Other memory whose address is passed is kept alive by the caller. Functions with {@code
 * float} or {@code double} parameters, or structs by value, are linked by {@link Library} with a descriptor of their
 * own.
 *
 * <p>Which implementation:
 *
 * <table>
 * <caption>Heats of a call</caption>
 * <tr><th>the call</th><th>class</th></tr>
 * <tr><td>may wait, and is made seldom or must not be repeated</td><td>{@link CapturedCall}</td></tr>
 * <tr><td>may wait, is made often, and fails without an effect</td><td>{@link HotCall#of}</td></tr>
 * <tr><td>may wait, is made often, is a bare system call</td><td>{@link SystemCall#of}</td></tr>
 * <tr><td>cannot wait: microseconds at most, never a disk, a lock or a network</td>
 *     <td>{@link HotCall#critical}, {@link SystemCall#critical}</td></tr>
 * <tr><td>many that wait together</td><td>an io_uring, which makes them with one call</td></tr>
 * </table>
 *
 * <p>All are records kept in {@code static final} fields: the JIT trusts record fields of a constant and then inlines
 * the call. Safe for any thread.
 */
public sealed interface NativeCall permits CapturedCall, HotCall, SystemCall {
    /**
     * Calls a function that returns {@code int}.
     *
     * @param kept native memory that must not be freed during the call, or {@link MemorySegment#NULL}
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @return the result, or {@code -errno}
     */
    int callInt(MemorySegment kept, long a, long b, long c, long d, long e);

    /**
     * Calls a function that returns {@code long}, {@code ssize_t} or {@code off_t}.
     *
     * @param kept native memory that must not be freed during the call, or {@link MemorySegment#NULL}
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @param d the fourth argument
     * @param e the fifth argument
     * @param f the sixth argument
     * @return the result, or {@code -errno}
     */
    long callLong(MemorySegment kept, long a, long b, long c, long d, long e, long f);

    /**
     * Calls a function that returns {@code int} and takes nothing.
     *
     * @return the result, or {@code -errno}
     */
    default int callInt() {
        return callInt(MemorySegment.NULL, 0, 0, 0, 0, 0);
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param a the first argument
     * @return the result, or {@code -errno}
     */
    default int callInt(long a) {
        return callInt(MemorySegment.NULL, a, 0, 0, 0, 0);
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param a the first argument
     * @param b the second argument
     * @return the result, or {@code -errno}
     */
    default int callInt(long a, long b) {
        return callInt(MemorySegment.NULL, a, b, 0, 0, 0);
    }

    /**
     * Calls a function that returns {@code int}.
     *
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @return the result, or {@code -errno}
     */
    default int callInt(long a, long b, long c) {
        return callInt(MemorySegment.NULL, a, b, c, 0, 0);
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
    default int callInt(long a, long b, long c, long d) {
        return callInt(MemorySegment.NULL, a, b, c, d, 0);
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
    default int callInt(long a, long b, long c, long d, long e) {
        return callInt(MemorySegment.NULL, a, b, c, d, e);
    }

    /**
     * Calls a function that returns {@code long}, {@code ssize_t} or {@code off_t}.
     *
     * @param kept native memory that must not be freed during the call, or {@link MemorySegment#NULL}
     * @param a the first argument
     * @param b the second argument
     * @param c the third argument
     * @return the result, or {@code -errno}
     */
    default long callLong(MemorySegment kept, long a, long b, long c) {
        return callLong(kept, a, b, c, 0, 0, 0);
    }
}
