package io.chagres.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.BenchmarkParams;

/** One array copied into another. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MemoryCopy {
    private static final MethodHandle MEMCPY =
            Ffm.link("memcpy", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG), Ffm.CRITICAL_HEAP);
    private static final MethodHandle STREAMING =
            Ffm.link("bench_copy_streaming", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG), Ffm.CRITICAL_HEAP);

    @Param({"8192", "131072", "4194304"})
    int bytes;

    private byte[] source = {};
    private byte[] target = {};
    private MemorySegment from = MemorySegment.NULL;
    private MemorySegment to = MemorySegment.NULL;

    @Setup
    public void setUp(BenchmarkParams params) {
        source = new byte[bytes];
        target = new byte[bytes];
        new SplittableRandom(42).nextBytes(source);
        from = MemorySegment.ofArray(source);
        to = MemorySegment.ofArray(target);
        Check.call(this, params);
        if (from.mismatch(to) >= 0) {
            throw new IllegalStateException(params.getBenchmark() + " does not copy");
        }
    }

    @Benchmark
    public byte[] arraycopy() {
        System.arraycopy(source, 0, target, 0, bytes);
        return target;
    }

    @Benchmark
    public byte[] memcpyCritical() throws Throwable {
        MemorySegment ignored = (MemorySegment) MEMCPY.invokeExact(to, from, (long) bytes);
        return target;
    }

    @Benchmark
    public byte[] streamingCritical() throws Throwable {
        STREAMING.invokeExact(to, from, (long) bytes);
        return target;
    }
}
