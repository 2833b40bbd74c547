package io.chagres.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The bare FFM interface of the JDK, as a program would use it without any layer above. */
@SuppressWarnings("restricted")
final class Ffm {
    /** The C library of these benchmarks; {@code bench/run.sh} builds it and says where it is. */
    static final Path LIBRARY = Path.of(System.getProperty("bench.library", "bench/target/libbench.so"))
            .toAbsolutePath();

    static final Linker LINKER = Linker.nativeLinker();
    static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    static final Linker.Option CRITICAL = Linker.Option.critical(false);
    static final Linker.Option CRITICAL_HEAP = Linker.Option.critical(true);
    static final SymbolLookup SYMBOLS =
            SymbolLookup.libraryLookup(LIBRARY, Arena.global()).or(LINKER.defaultLookup());

    private Ffm() {}

    static MethodHandle link(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return LINKER.downcallHandle(SYMBOLS.findOrThrow(name), descriptor, options);
    }

    /** A function pointer that lives as long as the JVM. */
    static MemorySegment callback(MethodHandle target, FunctionDescriptor descriptor) {
        return LINKER.upcallStub(target, descriptor, Arena.global());
    }
}
