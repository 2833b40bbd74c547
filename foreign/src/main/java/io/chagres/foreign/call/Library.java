package io.chagres.foreign.call;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * A shared library whose functions can be called.
 *
 * <p>{@snippet :
 * static final Library Z = Library.open("libz.so.1", Arena.global());
 * static final HotCall CRC32 = HotCall.of(Z, "crc32");
 * }
 *
 * <p>Functions of integers and pointers are called through a {@link NativeCall}. For all others this class links a
 * handle with a descriptor of its own; keep it in a {@code static final} field, for only then does the JIT inline the
 * call. Linking costs milliseconds for each new combination of descriptor and options and microseconds for a known
 * one. Immutable.
 */
@SuppressWarnings("restricted")
public final class Library {
    static final Linker LINKER = Linker.nativeLinker();

    static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

    /** The C library. */
    public static final Library C = new Library("the C library", LINKER.defaultLookup());

    private final String name;
    private final SymbolLookup symbols;

    private Library(String name, SymbolLookup symbols) {
        this.name = name;
        this.symbols = symbols;
    }

    /**
     * Loads a library, see dlopen(3).
     *
     * @param name a file name such as {@code libz.so.1}, which the dynamic linker searches for, or an absolute path
     * @param arena the library is unloaded when it closes, and calling its functions then fails
     * @return the library
     * @throws UnsatisfiedLinkError if there is no such library, or it cannot be loaded
     */
    public static Library open(String name, Arena arena) {
        try {
            return new Library(name, SymbolLookup.libraryLookup(name, arena));
        } catch (IllegalArgumentException e) {
            UnsatisfiedLinkError error = new UnsatisfiedLinkError("cannot load the library " + name
                    + "; install the package that holds it, or name its file by an absolute path");
            error.initCause(e);
            throw error;
        }
    }

    /**
     * Finds a function or variable.
     *
     * @param symbol its name
     * @return its address, of length 0, alive as long as the library
     * @throws UnsatisfiedLinkError if the library has no such symbol
     */
    public MemorySegment find(String symbol) {
        return symbols.find(symbol).orElseThrow(() -> new UnsatisfiedLinkError(name + " has no function " + symbol));
    }

    /**
     * Links a function that may wait: the thread changes its state, so that safepoints do not wait for it.
     *
     * @param symbol its name
     * @param descriptor the C signature
     * @return the handle; errno is lost
     * @throws UnsatisfiedLinkError if the library has no such function
     */
    public MethodHandle plain(String symbol, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(find(symbol), descriptor);
    }

    /**
     * Links a function that returns within microseconds, never waits and calls nothing back: safepoints wait while it
     * runs.
     *
     * @param symbol its name
     * @param descriptor the C signature
     * @return the handle; errno is lost and heap segments are refused
     * @throws UnsatisfiedLinkError if the library has no such function
     */
    public MethodHandle critical(String symbol, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(find(symbol), descriptor, Linker.Option.critical(false));
    }

    /**
     * Links a function like {@link #critical} that may be given heap segments.
     *
     * @param symbol its name
     * @param descriptor the C signature
     * @return the handle; errno is lost
     * @throws UnsatisfiedLinkError if the library has no such function
     */
    public MethodHandle criticalOnHeap(String symbol, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(find(symbol), descriptor, Linker.Option.critical(true));
    }

    /**
     * Links a function that may wait and whose errno is wanted.
     *
     * @param symbol its name
     * @param descriptor the C signature
     * @return the handle; its first argument is a segment of {@link Downcalls#CALL_STATE}
     * @throws UnsatisfiedLinkError if the library has no such function
     */
    public MethodHandle captured(String symbol, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(find(symbol), descriptor, ERRNO);
    }

    @Override
    public String toString() {
        return name;
    }
}
