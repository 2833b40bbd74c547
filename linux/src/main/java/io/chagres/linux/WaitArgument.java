package io.chagres.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How long to wait for completions: struct io_uring_getevents_arg (no signal mask) and the struct __kernel_timespec it
 * points to. Confined to one thread.
 */
final class WaitArgument {
    static final int BYTES = 24;

    private static final long TIME = 16;
    private static final long SECONDS = BYTES;
    private static final long NANOS = BYTES + 8;
    private static final long NS_PER_S = 1_000_000_000L;

    private final MemorySegment memory;

    WaitArgument(Arena arena) {
        memory = arena.allocate(BYTES + 16, 8);
    }

    /** Sets the limit, none if it is negative, and returns the argument. */
    MemorySegment of(long timeoutNs) {
        memory.set(ValueLayout.JAVA_LONG, TIME, timeoutNs < 0 ? 0 : memory.address() + SECONDS);
        memory.set(ValueLayout.JAVA_LONG, SECONDS, timeoutNs / NS_PER_S);
        memory.set(ValueLayout.JAVA_LONG, NANOS, timeoutNs % NS_PER_S);
        return memory;
    }
}
