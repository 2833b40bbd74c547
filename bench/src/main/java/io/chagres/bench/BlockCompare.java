package io.chagres.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.chagres.foreign.MemoryCompare;
import java.lang.foreign.Arena;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Two equal blocks of native memory, at page boundaries or each off it by another odd number of bytes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BlockCompare {
    private static final int PAGE = 4096;
    private static final MethodHandle MEMCMP =
            Ffm.link("memcmp", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG), Ffm.CRITICAL);

    @Param({"4096", "131072", "4194304"})
    int bytes;

    @Param({"true", "false"})
    boolean aligned;

    private final Arena arena = Arena.ofShared();
    private MemorySegment a = MemorySegment.NULL;
    private MemorySegment b = MemorySegment.NULL;

    @Setup
    public void setUp(BenchmarkParams params) {
        a = arena.allocate(bytes + PAGE, PAGE).asSlice(aligned ? 0 : 1, bytes);
        b = arena.allocate(bytes + PAGE, PAGE).asSlice(aligned ? 0 : 3, bytes);
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < bytes; i++) {
            a.set(JAVA_BYTE, i, (byte) random.nextInt());
        }
        b.copyFrom(a);
        Check.returns(this, params, true);
        b.set(JAVA_BYTE, bytes - 1, (byte) ~a.get(JAVA_BYTE, bytes - 1));
        Check.returns(this, params, false);
        b.copyFrom(a);
    }

    @TearDown
    public void close() {
        arena.close();
    }

    @Benchmark
    public boolean byteLoop() {
        for (int i = 0; i < bytes; i++) {
            if (a.get(JAVA_BYTE, i) != b.get(JAVA_BYTE, i)) {
                return false;
            }
        }
        return true;
    }

    @Benchmark
    public boolean wordLoop() {
        for (int i = 0; i < bytes; i += Long.BYTES) {
            if (a.get(JAVA_LONG_UNALIGNED, i) != b.get(JAVA_LONG_UNALIGNED, i)) {
                return false;
            }
        }
        return true;
    }

    @Benchmark
    public boolean jdkMismatch() {
        return a.mismatch(b) < 0;
    }

    @Benchmark
    public boolean memcmp() throws Throwable {
        return (int) MEMCMP.invokeExact(a, b, (long) bytes) == 0;
    }

    @Benchmark
    public boolean oursMismatch() {
        return MemoryCompare.mismatch(a, 0, b, 0, bytes) < 0;
    }
}
