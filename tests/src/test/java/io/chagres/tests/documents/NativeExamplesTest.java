package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.chagres.foreign.BufferPool;
import io.chagres.foreign.CString;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.Callback;
import io.chagres.foreign.call.CapturedCall;
import io.chagres.foreign.call.Downcalls;
import io.chagres.foreign.call.FunctionPointer;
import io.chagres.foreign.call.HotCall;
import io.chagres.foreign.call.Library;
import io.chagres.foreign.call.SystemCall;
import io.chagres.linux.Fd;
import io.chagres.linux.HeapReader;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/NATIVE.md, compiled and run. {@link DocumentExamplesTest} finds them here. */
class NativeExamplesTest {
    static final class LoadAverage {
        private static final HotCall GETLOADAVG = HotCall.of("getloadavg");

        static double lastMinute() {
            try (Frame frame = MemoryStack.ofThread().push()) {
                MemorySegment averages = frame.allocate(ValueLayout.JAVA_DOUBLE, 3);
                int n = GETLOADAVG.callInt(averages, averages.address(), 3, 0, 0, 0);
                return n < 1 ? Double.NaN : averages.get(ValueLayout.JAVA_DOUBLE, 0);
            }
        }
    }

    @Test
    void tenLines() {
        assertThat(LoadAverage.lastMinute()).isNotNegative();
    }

    static final class Directories {
        private static final CapturedCall RMDIR = CapturedCall.of("rmdir");

        static void remove(String path) throws ErrnoException {
            try (Frame frame = MemoryStack.ofThread().push()) {
                MemorySegment name = CString.encode(path, StandardCharsets.UTF_8, frame);
                int result = RMDIR.callInt(name, name.address(), 0, 0, 0, 0);
                if (result < 0) {
                    throw new ErrnoException("rmdir", -result, path);
                }
            }
        }
    }

    @Test
    void errorNumbers(@TempDir Path temp) throws IOException {
        Path directory = Files.createDirectory(temp.resolve("gr\u00fc\u00dfe"));
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> Directories.remove(directory.toString()))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTEMPTY));
        Files.delete(file);
        Directories.remove(directory.toString());
        assertThat(directory).doesNotExist();
    }

    @Test
    void heats() {
        int pid = Heats.PLAIN.callInt();
        assertThat(Heats.CRITICAL.callInt()).isEqualTo(pid);
        assertThat(Heats.BARE.callInt()).isEqualTo(pid);
    }

    static final class Heats {
        static final HotCall PLAIN = HotCall.of("getppid");
        static final HotCall CRITICAL = HotCall.critical("getppid");
        static final SystemCall BARE = SystemCall.critical("getppid");
    }

    static final class Plane {
        private static final Library MATH = Library.open("libm.so.6", Arena.global());
        private static final MethodHandle HYPOT = MATH.critical(
                "hypot",
                FunctionDescriptor.of(ValueLayout.JAVA_DOUBLE, ValueLayout.JAVA_DOUBLE, ValueLayout.JAVA_DOUBLE));

        static double distance(double x, double y) {
            try {
                return (double) HYPOT.invokeExact(x, y);
            } catch (Throwable t) {
                throw Downcalls.rethrown(t);
            }
        }
    }

    @Test
    void otherLibrariesAndSignatures() {
        assertThat(Plane.distance(3, 4)).isEqualTo(5);
    }

    static final class Allocations {
        private static final HotCall GETPPID = HotCall.of("getppid");

        static long fewestBytes() {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long fewest = Long.MAX_VALUE;
            for (int round = 0; round < 500 && fewest > 0; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 10_000; i++) {
                    GETPPID.callInt();
                }
                fewest = Math.min(fewest, threads.getCurrentThreadAllocatedBytes() - before);
            }
            return fewest;
        }
    }

    @Test
    void nothingIsAllocated() {
        assertThat(Allocations.fewestBytes()).isZero();
    }

    interface Names {
        static String unlessLoopback(MemorySegment memory, MemorySegment loopback, byte[] scratch) {
            boolean same = CString.equal(memory, 0, 256, loopback);
            return same ? "" : CString.decode(memory, 0, 256, StandardCharsets.UTF_8, scratch);
        }

        static int hash(MemorySegment memory, int length) {
            return CString.hash(memory, 0, length);
        }
    }

    @Test
    void stringsWhereTheyLie() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(256);
            CString.encode("lo", StandardCharsets.UTF_8, memory);
            MemorySegment loopback = MemorySegment.ofArray(new byte[] {'l', 'o'});
            byte[] scratch = new byte[256];
            assertThat(Names.unlessLoopback(memory, loopback, scratch)).isEmpty();
            assertThat(Names.hash(memory, 2)).isEqualTo(Arrays.hashCode(new byte[] {'l', 'o'}));
            CString.encode("eth0", StandardCharsets.UTF_8, memory);
            assertThat(Names.unlessLoopback(memory, loopback, scratch)).isEqualTo("eth0");
        }
    }

    interface Buffers {
        static void fillOne() throws InterruptedException {
            try (BufferPool pool = new BufferPool(128 * 1024, 4)) {
                MemorySegment buffer = pool.take();
                try {
                    buffer.fill((byte) 1);
                } finally {
                    pool.give(buffer);
                }
                pool.checkAllGiven();
            }
        }
    }

    @Test
    void buffers() throws InterruptedException {
        Buffers.fillOne();
    }

    @SuppressWarnings("restricted") // what a pointer leads to is for the caller to know
    static final class Sort {
        private static final HotCall QSORT = HotCall.of("qsort");
        private static final AddressLayout INT_POINTER = ValueLayout.ADDRESS.withTargetLayout(ValueLayout.JAVA_INT);
        private static final FunctionDescriptor COMPARATOR =
                FunctionDescriptor.of(ValueLayout.JAVA_INT, INT_POINTER, INT_POINTER);

        static int compare(MemorySegment a, MemorySegment b) {
            return Integer.compare(a.get(ValueLayout.JAVA_INT, 0), b.get(ValueLayout.JAVA_INT, 0));
        }

        static void sort(MemorySegment ints, List<Throwable> failures) throws ReflectiveOperationException {
            MethodHandle target = MethodHandles.lookup().findStatic(Sort.class, "compare", COMPARATOR.toMethodType());
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment function = Callback.of(target, COMPARATOR, arena, 0, failures::add);
                QSORT.callInt(ints, ints.address(), ints.byteSize() / 4, 4, function.address(), 0);
            }
        }
    }

    @Test
    void callbacks() throws ReflectiveOperationException {
        List<Throwable> failures = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ints = arena.allocateFrom(ValueLayout.JAVA_INT, 3, 1, 2);
            Sort.sort(ints, failures);
            assertThat(ints.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 2, 3);
        }
        assertThat(failures).isEmpty();
    }

    interface Pointers {
        static int abs(int number) {
            MemorySegment function = Library.C.find("abs");
            return (int) FunctionPointer.callCritical(function, number, 0, 0, 0, 0, 0);
        }
    }

    @Test
    void functionPointers() {
        assertThat(Pointers.abs(-5)).isEqualTo(5);
    }

    @Test
    void filesIntoArrays(@TempDir Path temp) throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "some content");
        byte[] content = new byte[64];
        int length = Content.read(Pathname.of(file.toString()), content);
        assertThat(new String(content, 0, length, StandardCharsets.UTF_8)).isEqualTo("some content");
    }

    interface Content {
        static int read(Pathname path, byte[] content) throws ErrnoException {
            try (Fd fd = Fd.open(path, Fd.O_RDONLY, 0);
                    HeapReader reader = new HeapReader()) {
                return reader.read(fd, content, 0, content.length, 0);
            }
        }
    }
}
