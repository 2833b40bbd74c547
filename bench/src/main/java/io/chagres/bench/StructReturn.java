package io.chagres.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.BenchmarkParams;

/** A struct of two double that C returns by value; the sum of its fields is what counts. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StructReturn {
    private static final StructLayout POINT = MemoryLayout.structLayout(JAVA_DOUBLE, JAVA_DOUBLE);
    private static final FunctionDescriptor BY_VALUE = FunctionDescriptor.of(POINT, JAVA_DOUBLE, JAVA_DOUBLE);
    private static final MethodHandle PLAIN = Ffm.link("bench_point", BY_VALUE);
    private static final MethodHandle CRITICAL = Ffm.link("bench_point", BY_VALUE, Ffm.CRITICAL);
    private static final MethodHandle INTO_CRITICAL =
            Ffm.link("bench_point_into", FunctionDescriptor.ofVoid(JAVA_DOUBLE, JAVA_DOUBLE, ADDRESS), Ffm.CRITICAL);

    private final MemoryStack stack = MemoryStack.ofThread();
    private final MemorySegment kept = Arena.global().allocate(POINT);
    private double x = 1;
    private double y = 2;

    @Setup
    public void check(BenchmarkParams params) {
        Check.returns(this, params, 3.0);
    }

    @Benchmark
    public double ffmConfinedArena() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            return sum((MemorySegment) PLAIN.invokeExact((SegmentAllocator) arena, x, y));
        }
    }

    @Benchmark
    public double oursFrame() throws Throwable {
        try (Frame frame = stack.push()) {
            return sum((MemorySegment) PLAIN.invokeExact((SegmentAllocator) frame, x, y));
        }
    }

    @Benchmark
    public double oursFramePrefix() throws Throwable {
        try (Frame frame = stack.push()) {
            SegmentAllocator prefix = SegmentAllocator.prefixAllocator(frame.allocate(POINT));
            return sum((MemorySegment) PLAIN.invokeExact(prefix, x, y));
        }
    }

    @Benchmark
    public double oursFramePrefixCritical() throws Throwable {
        try (Frame frame = stack.push()) {
            SegmentAllocator prefix = SegmentAllocator.prefixAllocator(frame.allocate(POINT));
            return sum((MemorySegment) CRITICAL.invokeExact(prefix, x, y));
        }
    }

    @Benchmark
    public double oursOutPointerCritical() throws Throwable {
        INTO_CRITICAL.invokeExact(x, y, kept);
        return sum(kept);
    }

    private static double sum(MemorySegment point) {
        return point.get(JAVA_DOUBLE, 0) + point.get(JAVA_DOUBLE, Double.BYTES);
    }
}
