package io.chagres.foreign.call;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Calls {@code memchr(3)} and {@code memrchr(3)}. Critical calls: they never wait, and a caller bounds their length so
 * that they do not hold up a safepoint. Safe for any thread, allocates nothing.
 */
public final class MemoryCalls {
    private static final FunctionDescriptor TYPE = FunctionDescriptor.of(
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);
    private static final MethodHandle MEMCHR = link("memchr");
    private static final MethodHandle MEMRCHR = link("memrchr");

    private MemoryCalls() {}

    private static MethodHandle link(String name) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().find(name).orElseThrow(), TYPE, Linker.Option.critical(false));
    }

    /** Returns the offset of the first such byte in a range of a native segment, counted from the range; or -1. */
    public static long first(MemorySegment segment, long offset, int value, long length) {
        try {
            long address = segment.address() + offset;
            long found = (long) MEMCHR.invokeExact(address, value, length);
            return found == 0 ? -1 : found - address;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Returns the offset of the last such byte in a range of a native segment, counted from the range; or -1. */
    public static long last(MemorySegment segment, long offset, int value, long length) {
        try {
            long address = segment.address() + offset;
            long found = (long) MEMRCHR.invokeExact(address, value, length);
            return found == 0 ? -1 : found - address;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
