package io.chagres.bench;

import com.sun.jna.Callback;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/** The same functions by JNA's direct mapping, the faster of its two ways. */
final class Jna {
    static {
        Native.register(Jna.class, NativeLibrary.getInstance(Ffm.LIBRARY.toString()));
    }

    private Jna() {}

    static native long labs(long value);

    static native long bench_callbacks(Function function, long times);

    /** A C function pointer of JNA. */
    interface Function extends Callback {
        long invoke(long value);
    }
}
