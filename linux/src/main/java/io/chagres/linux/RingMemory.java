package io.chagres.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The counters that a ring shares with the kernel. A write before a release is seen after an acquire. */
final class RingMemory {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private RingMemory() {}

    static int acquire(MemorySegment ring, long offset) {
        return (int) INT.getAcquire(ring, offset);
    }

    static void release(MemorySegment ring, long offset, int value) {
        INT.setRelease(ring, offset, value);
    }
}
