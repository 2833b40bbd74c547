package io.chagres.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.call.Downcalls;
import io.chagres.testkit.Allocations;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A struct that C returns by value goes into a frame. */
class StructReturnTest {
    /** A complex number passes as such a struct does. */
    private static final StructLayout POINT =
            MemoryLayout.structLayout(ValueLayout.JAVA_DOUBLE.withName("x"), ValueLayout.JAVA_DOUBLE.withName("y"));

    private static final MethodHandle CONJ = Downcalls.critical("conj", FunctionDescriptor.of(POINT, POINT));

    @Test
    void aFrameIsTheAllocatorOfTheResult() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            assertThat(conjugate(frame, frame.allocate(POINT), 3, 4)).isEqualTo(3 - 4);
        }
    }

    @Test
    @Tag("unchecked")
    void aPrefixOfAFrameTakesResultsWithoutAnAllocation() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment point = frame.allocate(POINT);
            SegmentAllocator result = SegmentAllocator.prefixAllocator(frame.allocate(POINT));
            long bytes = Allocations.fewestBytes(500, () -> {
                for (int i = 0; i < 10_000; i++) {
                    if (conjugate(result, point, i, 1) != i - 1) {
                        throw new AssertionError();
                    }
                }
            });
            assertThat(bytes).isZero();
        }
    }

    private static double conjugate(SegmentAllocator result, MemorySegment point, double x, double y) {
        point.set(ValueLayout.JAVA_DOUBLE, 0, x);
        point.set(ValueLayout.JAVA_DOUBLE, 8, y);
        try {
            MemorySegment conjugate = (MemorySegment) CONJ.invokeExact(result, point);
            return conjugate.get(ValueLayout.JAVA_DOUBLE, 0) + conjugate.get(ValueLayout.JAVA_DOUBLE, 8);
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }
}
