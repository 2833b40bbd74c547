package io.chagres.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Where a call finds its thread's scratch memory: each opens a frame, takes sixteen bytes and closes it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StackAttachment {
    private static final int TIMES = 1000;
    private static final long CAPACITY = 64 << 10;
    private static final ThreadLocal<MemoryStack> LOCAL = ThreadLocal.withInitial(() -> new MemoryStack(CAPACITY));
    private static final ScopedValue<MemoryStack> SCOPED = ScopedValue.newInstance();

    private final MemoryStack stack = new MemoryStack(CAPACITY);
    private final AtomicReference<MemoryStack> pool = new AtomicReference<>(stack);

    @Setup
    public void check(BenchmarkParams params) {
        long expected = Check.method(params).equals("scopedValue") ? 42L * TIMES : 42;
        Check.returns(this, params, expected);
    }

    @Benchmark
    public long parameter() {
        return use(stack);
    }

    @Benchmark
    public long threadLocal() {
        return use(LOCAL.get());
    }

    @Benchmark
    @OperationsPerInvocation(TIMES)
    public long scopedValue() {
        return ScopedValue.where(SCOPED, stack).call(() -> {
            long sum = 0;
            for (int i = 0; i < TIMES; i++) {
                sum += use(SCOPED.get());
            }
            return sum;
        });
    }

    @Benchmark
    public long scopedValueBound() {
        return ScopedValue.where(SCOPED, stack).call(() -> use(SCOPED.get()));
    }

    @Benchmark
    public long poolOfStacks() {
        MemoryStack taken = pool.getAndSet(null);
        try {
            return use(taken);
        } finally {
            pool.set(taken);
        }
    }

    @Benchmark
    public long oursOfThread() {
        return use(MemoryStack.ofThread());
    }

    private static long use(MemoryStack stack) {
        try (Frame frame = stack.push()) {
            MemorySegment memory = frame.allocate(16, 8);
            memory.set(JAVA_LONG, 0, 42);
            return memory.get(JAVA_LONG, 0);
        }
    }
}
