package io.chagres.foreign.call;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Links functions of the C library with a descriptor of their own, and holds what callers of such handles need.
 *
 * <p>What {@link Library} says of handles holds here. Safe for any thread.
 */
public final class Downcalls {
    /** The memory a captured call writes errno into; errno is its first and only {@code int}. */
    public static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();

    private Downcalls() {}

    /**
     * Links a function that may block: the thread changes its state, so that safepoints do not wait for it.
     *
     * @param name the symbol in the C library
     * @param descriptor the C signature
     * @return the handle; errno is lost
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static MethodHandle plain(String name, FunctionDescriptor descriptor) {
        return Library.C.plain(name, descriptor);
    }

    /**
     * Links a function that returns within microseconds and never waits: safepoints wait while it runs.
     *
     * @param name the symbol in the C library
     * @param descriptor the C signature
     * @return the handle; errno is lost and heap segments are refused
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static MethodHandle critical(String name, FunctionDescriptor descriptor) {
        return Library.C.critical(name, descriptor);
    }

    /**
     * Links a function like {@link #critical} that may be given heap segments.
     *
     * @param name the symbol in the C library
     * @param descriptor the C signature
     * @return the handle; errno is lost
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static MethodHandle criticalOnHeap(String name, FunctionDescriptor descriptor) {
        return Library.C.criticalOnHeap(name, descriptor);
    }

    /**
     * Links a function that may block and whose errno is wanted.
     *
     * @param name the symbol in the C library
     * @param descriptor the C signature
     * @return the handle; its first argument is a segment of {@link #CALL_STATE}
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    public static MethodHandle captured(String name, FunctionDescriptor descriptor) {
        return Library.C.captured(name, descriptor);
    }

    /**
     * Reads what a captured call left in its state segment.
     *
     * @param callState a segment of {@link #CALL_STATE} after a call that failed
     * @return the error number, positive
     */
    public static int errno(MemorySegment callState) {
        return callState.get(ValueLayout.JAVA_INT, 0);
    }

    /**
     * Passes on what {@code invokeExact} threw: a refused argument, or an error of the JVM.
     *
     * @param thrown what was caught
     * @return never; declared so that callers can write {@code throw rethrown(t)}
     */
    public static RuntimeException rethrown(Throwable thrown) {
        if (thrown instanceof RuntimeException refused) {
            throw refused;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        throw new AssertionError("a downcall threw a checked exception", thrown);
    }
}
