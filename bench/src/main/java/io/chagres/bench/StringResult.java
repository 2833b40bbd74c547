package io.chagres.bench;

import io.chagres.foreign.CString;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** A C string that came back: made a String, or compared with one where it lies. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StringResult {
    @Param({"10", "100", "255"})
    int bytes;

    private final Arena arena = Arena.ofShared();
    private MemorySegment cString = MemorySegment.NULL;
    private final byte[] scratch = new byte[512];
    private byte[] wanted = {};
    private String string = "";

    @Setup
    public void setUp(BenchmarkParams params) {
        string = "x".repeat(bytes);
        cString = arena.allocateFrom(string);
        wanted = string.getBytes(StandardCharsets.UTF_8);
        Check.returns(this, params, Check.method(params).endsWith("Equals") ? (Object) true : string);
    }

    @TearDown
    public void close() {
        arena.close();
    }

    @Benchmark
    public String ffmGetString() {
        return cString.getString(0);
    }

    @Benchmark
    public String oursDecode() {
        return CString.decode(cString, 0, cString.byteSize(), StandardCharsets.UTF_8, scratch);
    }

    @Benchmark
    public boolean ffmGetStringEquals() {
        return cString.getString(0).equals(string);
    }

    @Benchmark
    public String oursDecodeExactly() {
        return CString.decodeExactly(cString, 0, bytes, StandardCharsets.UTF_8, scratch);
    }

    @Benchmark
    public boolean oursEquals() {
        return CString.equal(cString, 0, cString.byteSize(), wanted);
    }

    @Benchmark
    public boolean oursStringEquals() {
        return CString.equal(cString, 0, cString.byteSize(), string, StandardCharsets.UTF_8);
    }
}
