package io.chagres.foreign.call;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A C function whose errno is captured in the call itself: for calls that must not be repeated to learn why they
 * failed, and for calls that are not made per read or event. It may wait.
 *
 * <p>With {@link Backend#RAW} a few instructions around the function look at errno themselves and nothing is
 * allocated. With {@link Backend#LIBC} the JDK captures it and allocates 40 bytes a call, which no JIT removes.
 *
 * <p>A record, because the JIT trusts record fields of a constant and then inlines the handle. Safe for any thread.
 *
 * @param function its address
 * @param backend how errno is captured
 * @param ints takes the function if it returns {@code int}: its address, the call state if the JDK captures, six
 *     words, the segment kept alive
 * @param longs the same if it returns 64 bits
 */
@SuppressWarnings("restricted")
public record CapturedCall(MemorySegment function, Backend backend, MethodHandle ints, MethodHandle longs)
        implements NativeCall {
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
     * Links a function of the C library.
     *
     * @param name its symbol
     * @return the call
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static CapturedCall of(String name) {
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
    public static CapturedCall of(Library library, String name) {
        return linked(library, name, Backend.current());
    }

    static CapturedCall linked(Library library, String name, Backend backend) {
        MemorySegment function = library.find(name);
        if (backend == Backend.LIBC) {
            MethodHandle handle = Library.LINKER.downcallHandle(SIX_LONGS_AND_KEPT, Library.ERRNO);
            return new CapturedCall(function, backend, handle, handle);
        }
        FunctionDescriptor descriptor = SIX_LONGS_AND_KEPT.insertArgumentLayouts(0, ValueLayout.ADDRESS);
        return new CapturedCall(
                function,
                backend,
                Library.LINKER.downcallHandle(MachineCode.function(Instructions.CALL_INT), descriptor),
                Library.LINKER.downcallHandle(MachineCode.function(Instructions.CALL_LONG), descriptor));
    }

    @Override
    public int callInt(MemorySegment kept, long a, long b, long c, long d, long e) {
        if (backend == Backend.LIBC) {
            return captured(kept, a, b, c, d, e);
        }
        try {
            return (int) (long) ints.invokeExact(function, a, b, c, d, e, 0L, kept);
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    @Override
    public long callLong(MemorySegment kept, long a, long b, long c, long d, long e, long f) {
        if (backend == Backend.LIBC) {
            return captured(kept, a, b, c, d, e, f);
        }
        try {
            return (long) longs.invokeExact(function, a, b, c, d, e, f, kept);
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    private int captured(MemorySegment kept, long a, long b, long c, long d, long e) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment state = frame.allocate(Downcalls.CALL_STATE);
            // The upper half of the register is unspecified after a function that returns int.
            int result = (int) (long) ints.invokeExact(function, state, a, b, c, d, e, 0L, kept);
            return result == -1 ? -Downcalls.errno(state) : result;
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    private long captured(MemorySegment kept, long a, long b, long c, long d, long e, long f) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment state = frame.allocate(Downcalls.CALL_STATE);
            long result = (long) longs.invokeExact(function, state, a, b, c, d, e, f, kept);
            return result == -1 ? -Downcalls.errno(state) : result;
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }
}
