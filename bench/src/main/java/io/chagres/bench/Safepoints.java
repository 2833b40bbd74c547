package io.chagres.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.chagres.linux.Fd;
import io.chagres.linux.HeapReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code Safepoints READER hot|cold SECONDS}: one thread reads a file again and again while another asks for a
 * safepoint every millisecond. How long the JVM waited for the reader is in its own log, {@code -Xlog:safepoint}. Cold
 * means that the file is dropped from the page cache before each pass. Prints the MB that were read per second.
 */
public final class Safepoints {
    private static final int PIECE = 128 << 10;
    private static final long INTERVAL_NS = 1_000_000;
    private static final MethodHandle PREAD_CRITICAL = Ffm.link(
            "pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG), Ffm.CRITICAL_HEAP);

    private final DataFile file = DataFile.hot();
    private final byte[] array = new byte[PIECE];
    private final boolean cold;
    private volatile boolean ended;
    private long bytesRead;

    private Safepoints(boolean cold) {
        this.cold = cold;
    }

    /** Reads one piece of the file at a position; how many bytes. */
    private interface Reader {
        long read(long position);
    }

    /** Runs one combination. */
    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        new Safepoints(args[1].equals("cold")).run(args[0], (long) (Double.parseDouble(args[2]) * 1e9));
    }

    private void run(String name, long durationNs) throws IOException, InterruptedException, ExecutionException {
        file.open();
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<?> reading = threads.submit(() -> {
                read(name);
                return null;
            });
            long start = System.nanoTime();
            while (System.nanoTime() - start < durationNs && !reading.isDone()) {
                Thread.getAllStackTraces(); // stops all threads
                LockSupport.parkNanos(INTERVAL_NS);
            }
            ended = true;
            reading.get();
        }
        System.out.println(bytesRead * 1000 / durationNs);
    }

    private void read(String name) throws IOException {
        switch (name) {
            case "idle" -> {
                while (!ended) {
                    LockSupport.parkNanos(INTERVAL_NS);
                }
            }
            case "spinning" -> {
                while (!ended) {
                    Thread.onSpinWait();
                }
            }
            case "mapped" -> readMapped();
            default -> readAll(reader(name));
        }
    }

    private Reader reader(String name) {
        int fd = file.fd().value();
        MemorySegment heap = MemorySegment.ofArray(array);
        MemorySegment buffer = Arena.global().allocate(PIECE, 64);
        HeapReader heapReader = new HeapReader();
        return switch (name) {
            case "heapReader" -> position -> heapReader.read(fd, array, 0, PIECE, position);
            case "plain" ->
                position -> {
                    long count = Fd.pread(fd, buffer, 0, PIECE, position);
                    MemorySegment.copy(buffer, JAVA_BYTE, 0, array, 0, PIECE);
                    return count;
                };
            case "ffmCritical" -> position -> preadCritical(fd, heap, position);
            case "jniCritical" -> position -> Jni.preadCritical(fd, array, PIECE, position);
            default -> throw new IllegalArgumentException("no reader is called " + name);
        };
    }

    private void readAll(Reader reader) throws IOException {
        while (!ended) {
            drop();
            for (long at = 0; at < file.bytes() && !ended; at += PIECE) {
                count(at, reader.read(at));
            }
        }
    }

    private static long preadCritical(int fd, MemorySegment heap, long position) {
        try {
            return (long) PREAD_CRITICAL.invokeExact(fd, heap, (long) PIECE, position);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /** A mapping keeps its pages in memory, so that each cold pass needs a new one. */
    private void readMapped() throws IOException {
        try (FileChannel channel = FileChannel.open(file.path())) {
            while (!ended) {
                drop();
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment mapping = channel.map(FileChannel.MapMode.READ_ONLY, 0, file.bytes(), arena);
                    do {
                        for (long at = 0; at < file.bytes() && !ended; at += PIECE) {
                            MemorySegment.copy(mapping, JAVA_BYTE, at, array, 0, PIECE);
                            count(at, PIECE);
                        }
                    } while (!cold && !ended);
                }
            }
        }
    }

    private void drop() throws IOException {
        if (cold) {
            file.fd().advise(0, 0, Fd.POSIX_FADV_DONTNEED);
        }
    }

    private void count(long position, long count) {
        if (count != PIECE || !DataFile.isAt(position, array, Long.BYTES)) {
            throw new IllegalStateException("read " + count + " bytes or others than those at " + position);
        }
        bytesRead += count;
    }
}
