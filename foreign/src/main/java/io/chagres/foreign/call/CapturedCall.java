package io.chagres.foreign.call;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A C function whose errno is captured in the call itself: for everything that is not called per read or event, and
 * for whatever must not be repeated to learn why it failed. It may wait.
 *
 * <p>A record, because the JIT trusts record fields of a constant and then inlines the handle. Safe for any thread. The
 * JDK allocates 40 bytes per captured call where the JIT does not remove them.
 *
 * @param handle the linked function: call state, six {@code long}, the segment kept alive
 */
public record CapturedCall(MethodHandle handle) implements NativeCall {
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
        return new CapturedCall(library.captured(name, SIX_LONGS_AND_KEPT));
    }

    @Override
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

    @Override
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
