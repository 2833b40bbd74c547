package io.chagres.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.chagres.foreign.call.Downcalls;
import io.chagres.foreign.call.HotCall;
import io.chagres.foreign.call.SystemCall;
import java.io.IOException;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** System calls whose errno is wanted: getppid(2), fstat(2), and pread(2) of eight bytes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SystemCallCost {
    private static final int PIECE = 8;
    private static final int STAT_BYTES = 144;
    private static final long FILE_BYTES = 4096;

    private static final MethodHandle GETPPID = Ffm.link("getppid", FunctionDescriptor.of(JAVA_INT), Ffm.ERRNO);
    private static final MethodHandle FSTAT =
            Ffm.link("fstat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS), Ffm.ERRNO);
    private static final MethodHandle PREAD =
            Ffm.link("pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG), Ffm.ERRNO);
    private static final HotCall HOT_GETPPID = HotCall.of("getppid");
    private static final HotCall HOT_FSTAT = HotCall.of("fstat");
    private static final HotCall HOT_PREAD = HotCall.of("pread");
    private static final SystemCall RAW_GETPPID = SystemCall.of("getppid");
    private static final SystemCall RAW_FSTAT = SystemCall.of("fstat");
    private static final SystemCall RAW_PREAD = SystemCall.of("pread64");
    private static final SystemCall CRITICAL_GETPPID = SystemCall.critical("getppid");
    private static final SystemCall CRITICAL_FSTAT = SystemCall.critical("fstat");
    private static final SystemCall CRITICAL_PREAD = SystemCall.critical("pread64");

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment state = arena.allocate(Downcalls.CALL_STATE);
    private final MemorySegment buffer = arena.allocate(STAT_BYTES, 8);
    private final DataFile file = new DataFile("small", FILE_BYTES);
    private int fd;

    @Setup
    public void setUp(BenchmarkParams params) throws IOException {
        fd = file.open();
        String method = Check.method(params);
        if (method.startsWith("getppid")) {
            Check.returns(this, params, (int)
                    ProcessHandle.current().parent().orElseThrow().pid());
        } else {
            Check.returns(this, params, method.startsWith("pread") ? (Object) (long) PIECE : 0);
        }
    }

    @TearDown
    public void close() {
        file.close();
        arena.close();
    }

    @Benchmark
    public int getppidFfmErrno() throws Throwable {
        int result = (int) GETPPID.invokeExact(state);
        return result == -1 ? -Downcalls.errno(state) : result;
    }

    @Benchmark
    public int getppidOursPlain() {
        return HOT_GETPPID.callInt();
    }

    @Benchmark
    public int fstatFfmErrno() throws Throwable {
        int result = (int) FSTAT.invokeExact(state, fd, buffer);
        return result == -1 ? -Downcalls.errno(state) : result;
    }

    @Benchmark
    public int fstatOursPlain() {
        return HOT_FSTAT.callInt(buffer, fd, buffer.address(), 0, 0, 0);
    }

    @Benchmark
    public long preadFfmErrno() throws Throwable {
        long result = (long) PREAD.invokeExact(state, fd, buffer, (long) PIECE, 0L);
        return result == -1 ? -Downcalls.errno(state) : result;
    }

    @Benchmark
    public long preadOursPlain() {
        return HOT_PREAD.callLong(buffer, fd, buffer.address(), PIECE, 0, 0, 0);
    }

    @Benchmark
    public int getppidOursRaw() {
        return RAW_GETPPID.callInt();
    }

    @Benchmark
    public int getppidOursRawCritical() {
        return CRITICAL_GETPPID.callInt();
    }

    @Benchmark
    public int fstatOursRaw() {
        return RAW_FSTAT.callInt(buffer, fd, buffer.address(), 0, 0, 0);
    }

    @Benchmark
    public int fstatOursRawCritical() {
        return CRITICAL_FSTAT.callInt(buffer, fd, buffer.address(), 0, 0, 0);
    }

    @Benchmark
    public long preadOursRaw() {
        return RAW_PREAD.callLong(buffer, fd, buffer.address(), PIECE, 0, 0, 0);
    }

    @Benchmark
    public long preadOursRawCritical() {
        return CRITICAL_PREAD.callLong(buffer, fd, buffer.address(), PIECE, 0, 0, 0);
    }
}
