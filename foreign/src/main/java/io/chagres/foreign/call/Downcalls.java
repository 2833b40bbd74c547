package io.chagres.foreign.call;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Links functions of the C library.
 *
 * <p>Keep each handle in a {@code static final} field: only then does the compiler inline the call. Linking costs
 * milliseconds for each new combination of descriptor and options and microseconds for a known one, which is why
 * {@link HotCall} and {@link CapturedCall} use one descriptor each. Safe for any thread.
 */
@SuppressWarnings("restricted")
public final class Downcalls {
    private static final Linker LINKER = Linker.nativeLinker();

    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

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
        return LINKER.downcallHandle(symbol(name), descriptor);
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
        return LINKER.downcallHandle(symbol(name), descriptor, Linker.Option.critical(false));
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
        return LINKER.downcallHandle(symbol(name), descriptor, ERRNO);
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

    private static MemorySegment symbol(String name) {
        return LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no function " + name));
    }
}
