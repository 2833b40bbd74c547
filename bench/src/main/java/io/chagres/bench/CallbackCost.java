package io.chagres.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.chagres.foreign.call.Callback;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * C that calls Java, per call back: a C loop makes a hundred of them, so that the call into C does not count. The
 * methods named Field read a field of a Java object; the others give their argument back.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(CallbackCost.TIMES)
public class CallbackCost {
    static final int TIMES = 100;

    private static final FunctionDescriptor FUNCTION = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG);
    private static final MethodHandle CALLBACKS =
            Ffm.link("bench_callbacks", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG));

    private static final FieldReader READER = new FieldReader();
    private static final MemorySegment IDENTITY;
    private static final MemorySegment READ;
    private static final MemorySegment GUARDED_IDENTITY;
    private static final MemorySegment GUARDED_READ;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodType type = FUNCTION.toMethodType();
            MethodHandle identity = lookup.findStatic(Jni.class, "identity", type);
            MethodHandle read = lookup.bind(READER, "read", type);
            IDENTITY = Ffm.callback(identity, FUNCTION);
            READ = Ffm.callback(read, FUNCTION);
            GUARDED_IDENTITY = guarded(identity);
            GUARDED_READ = guarded(read);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Jna.Function jnaIdentity = Jni::identity;
    private final Jna.Function jnaReader = READER::read;
    private final Jnr.Function jnrIdentity = new Jnr.Function() {
        @Override
        public long call(long value) {
            return Jni.identity(value);
        }
    };
    private final Jnr.Function jnrReader = new Jnr.Function() {
        @Override
        public long call(long value) {
            return READER.read(value);
        }
    };

    private static MemorySegment guarded(MethodHandle target) {
        return Callback.of(target, FUNCTION, Arena.global(), -1L, thrown -> {
            throw new AssertionError(thrown);
        });
    }

    @Setup
    public void check(BenchmarkParams params) {
        long expected = Check.method(params).endsWith("Field") ? TIMES : TIMES * (TIMES - 1) / 2;
        Check.returns(this, params, expected);
    }

    @Benchmark
    public long jni() {
        return Jni.callbacks(TIMES);
    }

    @Benchmark
    public long jna() {
        return Jna.bench_callbacks(jnaIdentity, TIMES);
    }

    @Benchmark
    public long jnrFfi() {
        return Jnr.LIBRARY.bench_callbacks(jnrIdentity, TIMES);
    }

    @Benchmark
    public long ffm() throws Throwable {
        return (long) CALLBACKS.invokeExact(IDENTITY, (long) TIMES);
    }

    @Benchmark
    public long jniMethodField() {
        return Jni.readersCalled(READER, TIMES);
    }

    @Benchmark
    public long jniGetLongField() {
        return Jni.fieldsRead(READER, TIMES);
    }

    @Benchmark
    public long jnaField() {
        return Jna.bench_callbacks(jnaReader, TIMES);
    }

    @Benchmark
    public long jnrFfiField() {
        return Jnr.LIBRARY.bench_callbacks(jnrReader, TIMES);
    }

    @Benchmark
    public long ffmField() throws Throwable {
        return (long) CALLBACKS.invokeExact(READ, (long) TIMES);
    }

    @Benchmark
    public long ours() throws Throwable {
        return (long) CALLBACKS.invokeExact(GUARDED_IDENTITY, (long) TIMES);
    }

    @Benchmark
    public long oursField() throws Throwable {
        return (long) CALLBACKS.invokeExact(GUARDED_READ, (long) TIMES);
    }
}
