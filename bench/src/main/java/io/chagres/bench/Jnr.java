package io.chagres.bench;

import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.Delegate;

/** The same functions by jnr-ffi. */
public interface Jnr {
    /** The library and the C library behind it. */
    Jnr LIBRARY = LibraryLoader.create(Jnr.class).load(Ffm.LIBRARY.toString());

    long labs(long value);

    long bench_callbacks(Function function, long times);

    /** A C function pointer of jnr-ffi. */
    interface Function {
        @Delegate
        long call(long value);
    }
}
