package io.chagres.foreign.call;

import io.chagres.foreign.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Makes system calls through {@code syscall(2)}: one linked function for all of them, which returns the kernel's value
 * or the negated errno and knows no policy. Pointers are passed as addresses; the segments behind them must stay alive
 * during the call. Safe for any thread. Allocates nothing when the call succeeds.
 */
public final class SystemCall {
    private static final FunctionDescriptor TYPE = FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG);
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MemorySegment FUNCTION =
            LINKER.defaultLookup().find("syscall").orElseThrow();
    private static final MethodHandle PLAIN = LINKER.downcallHandle(FUNCTION, TYPE);
    private static final MethodHandle CAPTURED =
            LINKER.downcallHandle(FUNCTION, TYPE, Linker.Option.captureCallState("errno"));

    private SystemCall() {}

    /**
     * Makes a call that may be repeated: when it fails it is made once more with errno captured, and that second
     * result counts. Right for calls that name a position or only look; wrong for calls whose failure changed
     * something.
     *
     * @return the kernel's result, or -errno; EINTR is never returned, the call is made again
     */
    public static long repeatable(long number, long a, long b, long c, long d, long e, long f) {
        try {
            long result = (long) PLAIN.invokeExact(number, a, b, c, d, e, f);
            return result != -1 ? result : once(number, a, b, c, d, e, f);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * Makes a call exactly once (and again only when a signal interrupted it before it did anything). Allocates a
     * small confined arena.
     *
     * @return the kernel's result, or -errno
     */
    public static long once(long number, long a, long b, long c, long d, long e, long f) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long result;
            do {
                result = (long) CAPTURED.invokeExact(state, number, a, b, c, d, e, f);
                if (result != -1) {
                    return result;
                }
                result = -(int) ERRNO.get(state, 0L);
            } while (result == -Errno.EINTR);
            return result;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
