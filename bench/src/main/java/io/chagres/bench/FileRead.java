package io.chagres.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.chagres.linux.Fd;
import io.chagres.linux.HeapReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
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

/** A file in the page cache, read from its start to its end, again and again, a piece at a time into one array. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FileRead {
    private static final FunctionDescriptor SIGNATURE =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle PREAD_CRITICAL = Ffm.link("pread", SIGNATURE, Ffm.CRITICAL_HEAP);

    @Param({"8192", "131072"})
    int piece;

    private final DataFile file = DataFile.hot();
    private int fd;
    private long position;
    private byte[] array = {};
    private MemorySegment heap = MemorySegment.NULL;
    private ByteBuffer heapBuffer = ByteBuffer.allocate(0);
    private ByteBuffer directBuffer = ByteBuffer.allocate(0);
    private MemorySegment nativeBuffer = MemorySegment.NULL;
    private final Arena arena = Arena.ofShared();
    private final HeapReader reader = new HeapReader();
    private FileInputStream stream;
    private FileChannel streamChannel;
    private InputStream filesStream;
    private FileChannel channel;
    private ArrayChannel intoArray;
    private MemorySegment mapping;
    private Arena firstArena = Arena.ofConfined();
    private MemorySegment firstMapping = MemorySegment.NULL;

    @Setup
    public void setUp(BenchmarkParams params) throws IOException {
        fd = file.open();
        array = new byte[piece];
        heap = MemorySegment.ofArray(array);
        heapBuffer = ByteBuffer.wrap(array);
        directBuffer = ByteBuffer.allocateDirect(piece);
        nativeBuffer = arena.allocate(piece, 64);
        stream = new FileInputStream(file.path().toFile());
        streamChannel = stream.getChannel();
        filesStream = Files.newInputStream(file.path());
        channel = FileChannel.open(file.path());
        intoArray = new ArrayChannel(array);
        mapping = channel.map(FileChannel.MapMode.READ_ONLY, 0, file.bytes(), arena);
        for (int i = 0; i < 3; i++) {
            long result = ((Number) Check.call(this, params)).longValue();
            if (result != piece || !DataFile.isAt((long) i * piece, array, piece)) {
                throw new IllegalStateException(params.getBenchmark() + " reads something else at piece " + i);
            }
        }
    }

    @TearDown
    public void close() throws IOException {
        file.close();
        reader.close();
        stream.close();
        filesStream.close();
        channel.close();
        arena.close();
        firstArena.close();
    }

    /** The position of the next piece. */
    private long next() {
        long at = position;
        position = at + 2L * piece > file.bytes() ? 0 : at + piece;
        return at;
    }

    @Benchmark
    public int fileInputStream() throws IOException {
        if (next() == 0) {
            streamChannel.position(0);
        }
        return stream.read(array);
    }

    @Benchmark
    public int newInputStream() throws IOException {
        if (next() == 0) {
            filesStream.close();
            filesStream = Files.newInputStream(file.path());
        }
        return filesStream.read(array);
    }

    @Benchmark
    public int channelHeap() throws IOException {
        return channel.read(heapBuffer.clear(), next());
    }

    @Benchmark
    public int channelDirect() throws IOException {
        int count = channel.read(directBuffer.clear(), next());
        directBuffer.get(0, array, 0, count);
        return count;
    }

    @Benchmark
    public long channelTransferTo() throws IOException {
        return channel.transferTo(next(), piece, intoArray.restart());
    }

    @Benchmark
    public long ffmCriticalPread() throws Throwable {
        return (long) PREAD_CRITICAL.invokeExact(fd, heap, (long) piece, next());
    }

    @Benchmark
    public long jniCriticalPread() {
        return Jni.preadCritical(fd, array, piece, next());
    }

    @Benchmark
    public long mapFirstAccess() throws IOException {
        long at = next();
        if (at == 0) {
            firstArena.close();
            firstArena = Arena.ofConfined();
            firstMapping = channel.map(FileChannel.MapMode.READ_ONLY, 0, file.bytes(), firstArena);
        }
        MemorySegment.copy(firstMapping, JAVA_BYTE, at, array, 0, piece);
        return piece;
    }

    @Benchmark
    public long mapRepeatedAccess() {
        MemorySegment.copy(mapping, JAVA_BYTE, next(), array, 0, piece);
        return piece;
    }

    @Benchmark
    public int oursHeapReader() {
        return reader.read(fd, array, 0, piece, next());
    }

    @Benchmark
    public long oursPlainCopy() {
        long count = Fd.pread(fd, nativeBuffer, 0, piece, next());
        MemorySegment.copy(nativeBuffer, JAVA_BYTE, 0, array, 0, piece);
        return count;
    }

    /** Takes bytes into an array, from its start after {@link #restart}. */
    private static final class ArrayChannel implements WritableByteChannel {
        private final byte[] array;
        private int filled;

        ArrayChannel(byte[] array) {
            this.array = array;
        }

        ArrayChannel restart() {
            filled = 0;
            return this;
        }

        @Override
        public int write(ByteBuffer bytes) {
            int count = bytes.remaining();
            bytes.get(array, filled, count);
            filled += count;
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
