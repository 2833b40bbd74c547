package io.chagres.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.Downcalls;
import io.chagres.foreign.call.FunctionPointer;
import io.chagres.foreign.call.HotCall;
import io.chagres.foreign.call.Library;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
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

/** A call that does next to nothing, labs(3): by every way there is, and as a ladder with one step less each time. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CallCost {
    private static final FunctionDescriptor LABS = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG);
    private static final MethodHandle PLAIN = Ffm.link("labs", LABS);
    private static final MethodHandle CRITICAL = Ffm.link("labs", LABS, Ffm.CRITICAL);
    private static final MethodHandle CAPTURED = Ffm.link("labs", LABS, Ffm.ERRNO);
    private static final HotCall HOT = HotCall.of("labs");
    private static final HotCall OURS_CRITICAL = HotCall.critical("labs");

    private final MemorySegment state = Arena.global().allocate(Downcalls.CALL_STATE);
    private final MemoryStack stack = MemoryStack.ofThread();
    private MemorySegment function = Library.C.find("labs");
    private long value = -7;

    @Setup
    public void check(BenchmarkParams params) {
        Check.returns(this, params, 7L);
    }

    @Benchmark
    public long jni() {
        return Jni.labs(value);
    }

    @Benchmark
    public long jnaDirect() {
        return Jna.labs(value);
    }

    @Benchmark
    public long jnrFfi() {
        return Jnr.LIBRARY.labs(value);
    }

    @Benchmark
    public long ffm() throws Throwable {
        return (long) PLAIN.invokeExact(value);
    }

    @Benchmark
    public long ffmCritical() throws Throwable {
        return (long) CRITICAL.invokeExact(value);
    }

    @Benchmark
    public long ffmErrnoKeptSegment() throws Throwable {
        return (long) CAPTURED.invokeExact(state, value);
    }

    @Benchmark
    public long ffmErrnoFrame() throws Throwable {
        try (Frame frame = stack.push()) {
            return (long) CAPTURED.invokeExact(frame.allocate(Downcalls.CALL_STATE), value);
        }
    }

    @Benchmark
    public long ffmErrnoConfinedArena() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            return (long) CAPTURED.invokeExact(arena.allocate(Downcalls.CALL_STATE), value);
        }
    }

    @Benchmark
    public long oursPlain() {
        return HOT.callLong(MemorySegment.NULL, value, 0, 0, 0, 0, 0);
    }

    @Benchmark
    public long oursPointer() {
        return FunctionPointer.call(function, value, 0, 0, 0, 0, 0);
    }

    @Benchmark
    public long oursPointerCritical() {
        return FunctionPointer.callCritical(function, value, 0, 0, 0, 0, 0);
    }

    @Benchmark
    public long oursCritical() {
        return OURS_CRITICAL.callLong(MemorySegment.NULL, value, 0, 0, 0, 0, 0);
    }
}
