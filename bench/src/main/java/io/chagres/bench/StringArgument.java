package io.chagres.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.chagres.foreign.CString;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
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

/** A String given to C: strlen of one that is made a C string for the call. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StringArgument {
    private static final FunctionDescriptor STRLEN = FunctionDescriptor.of(JAVA_LONG, ADDRESS);
    private static final MethodHandle PLAIN = Ffm.link("strlen", STRLEN);
    private static final MethodHandle CRITICAL = Ffm.link("strlen", STRLEN, Ffm.CRITICAL);
    private static final MethodHandle CRITICAL_HEAP = Ffm.link("strlen", STRLEN, Ffm.CRITICAL_HEAP);

    @Param({"10", "100", "1000"})
    int bytes;

    private final MemoryStack stack = MemoryStack.ofThread();
    private final MemorySegment heap = MemorySegment.ofArray(new byte[4096]);
    private String string = "";

    @Setup
    public void setUp(BenchmarkParams params) {
        string = "x".repeat(bytes);
        Check.returns(this, params, (long) bytes);
    }

    @Benchmark
    public long jni() {
        return Jni.strlen(string);
    }

    @Benchmark
    public long ffmConfinedArena() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            return (long) PLAIN.invokeExact(arena.allocateFrom(string));
        }
    }

    @Benchmark
    public long oursFrame() throws Throwable {
        try (Frame frame = stack.push()) {
            return (long) PLAIN.invokeExact(CString.encode(string, StandardCharsets.UTF_8, frame));
        }
    }

    @Benchmark
    public long oursFrameCritical() throws Throwable {
        try (Frame frame = stack.push()) {
            return (long) CRITICAL.invokeExact(CString.encode(string, StandardCharsets.UTF_8, frame));
        }
    }

    @Benchmark
    public long oursHeapCritical() throws Throwable {
        CString.encode(string, StandardCharsets.UTF_8, heap);
        return (long) CRITICAL_HEAP.invokeExact(heap);
    }
}
