package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.testkit.Allocations;
import io.chagres.testkit.OnVirtualThread;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every shape of a call allocates nothing, whether it succeeds or fails, on platform and on virtual threads. */
@Tag("long")
class CallShapeTest {
    /** Other threads allocate now and then, and are counted with the virtual ones: so rounds are short. */
    private static final int CALLS = 10_000;

    private static final int ROUNDS = 500;
    private static final int MILLION = 1_000_000;
    private static final Linker.Option CRITICAL = Linker.Option.critical(false);

    private final Path temp;

    CallShapeTest(@TempDir Path temp) {
        this.temp = temp;
    }

    private static SystemCall linked(String name, Backend backend, Linker.Option... heat) {
        return SystemCall.linked(SystemCallNumbers.of(name), backend, true, heat);
    }

    @BeforeAll
    static void needsTheRawBackend() {
        Requires.allowed("executable pages", Backend.current() == Backend.RAW);
    }

    static Stream<Arguments> shapes() {
        return Stream.of(
                shape("hot", () -> Calls.HOT.callInt(Calls.KEPT, 0, 0, 0, 0, 0) > 0),
                shape("hot, failing", () -> Calls.CLOSE.callInt(-1) == -Errno.EBADF),
                shape("critical", () -> Calls.LABS.callLong(Calls.KEPT, -9, 0, 0) == 9),
                shape("critical, failing", () -> Calls.CRITICAL_CLOSE.callInt(-1) == -Errno.EBADF),
                shape("captured", () -> Calls.CAPTURED.callInt() > 0),
                shape("captured long", () -> Calls.CAPTURED_SEEK.callLong(Calls.KEPT, -1, 0, 0) == -Errno.EBADF),
                shape("captured, failing", () -> Calls.CAPTURED_CLOSE.callInt(-1) == -Errno.EBADF),
                shape("raw, failing", () -> Calls.RAW.callLong(Calls.KEPT, -1, 0, 0) == -Errno.EBADF),
                shape("raw critical, failing", () -> Calls.RAW_CRITICAL.callLong(Calls.KEPT, -1, 0, 0) == -Errno.EBADF),
                shape("libc", () -> Calls.LIBC.callInt(Calls.KEPT, 0, 0, 0, 0, 0) > 0),
                shape("callback", () -> FunctionPointer.call(Calls.CALLBACK, -9, 0, 0, 0, 0, 0) == 9),
                shape("pointer", () -> FunctionPointer.call(Calls.LABS_ADDRESS, -9, 0, 0, 0, 0, 0) == 9),
                shape(
                        "pointer, critical",
                        () -> FunctionPointer.callCritical(Calls.LABS_ADDRESS, -9, 0, 0, 0, 0, 0) == 9));
    }

    private static Arguments shape(String name, BooleanSupplier call) {
        return Arguments.of(Named.of(name, call));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void nothingIsAllocated(BooleanSupplier call) {
        Runnable round = () -> {
            for (int i = 0; i < CALLS; i++) {
                if (!call.getAsBoolean()) {
                    throw new AssertionError("another result");
                }
            }
        };
        free(round);
    }

    @Test
    void arraysAreFilledWithoutAllocation() throws IOException {
        Requires.disk(temp);
        Path file = Files.writeString(temp.resolve("file"), "0123456789");
        byte[] array = new byte[64];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(file.toString());
            int fd = CapturedCall.of("open").callInt(path.address(), 0);
            Runnable round = () -> {
                for (int i = 0; i < CALLS; i++) {
                    if (ArrayRead.nowait(fd, array, 1, 5, 4) != 5 || ArrayRead.nowait(fd, array, 0, 9, 10) != 0) {
                        throw new AssertionError("another result");
                    }
                }
            };
            if (ArrayRead.isAvailable()) {
                free(round);
            }
            assertThat(Calls.CLOSE.callInt(fd)).isZero();
        }
    }

    /** Each thread fails with an error number of its own, at the same time, through every way of calling. */
    @Test
    void threadsDoNotSeeTheErrorsOfOthers() throws InterruptedException, ExecutionException {
        List<NativeCall> access = List.of(
                HotCall.of("faccessat"),
                HotCall.critical("faccessat"),
                CapturedCall.of("faccessat"),
                linked("faccessat", Backend.RAW),
                linked("faccessat", Backend.LIBC),
                linked("faccessat", Backend.RAW, CRITICAL));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Arena arena = Arena.ofShared()) {
            List<MemorySegment> paths = Stream.of("/", "/no/such", "/proc/version/x", "x".repeat(5000))
                    .map(arena::allocateFrom)
                    .toList();
            int[] results = {0, -Errno.ENOENT, -Errno.ENOTDIR, -Errno.ENAMETOOLONG};
            List<Future<Long>> running = IntStream.range(0, 24)
                    .mapToObj(i -> threads.submit(() -> {
                        MemorySegment path = paths.get(i % 4);
                        return IntStream.range(0, 20_000)
                                .filter(round ->
                                        access.get(round % access.size()).callInt(path, 0, path.address(), 0, 0, 0)
                                                != results[i % 4])
                                .count();
                    }))
                    .toList();
            for (Future<Long> thread : running) {
                assertThat(thread.get()).isZero();
            }
        }
    }

    /** Over a million calls; the first are made before the JIT compiles them. */
    private static void free(Runnable round) {
        for (int i = 0; i < MILLION / CALLS; i++) {
            round.run();
        }
        assertThat(Allocations.fewestBytes(ROUNDS, round)).isZero();
        assertThat(OnVirtualThread.get(() -> Allocations.fewestBytes(ROUNDS, round)))
                .isZero();
    }

    /** Linked when they are used: there the kernel is known to allow it. */
    private static final class Calls {
        private static final HotCall HOT = HotCall.of("getppid");
        private static final HotCall LABS = HotCall.critical("labs");
        private static final CapturedCall CAPTURED = CapturedCall.linked(Library.C, "getppid", Backend.RAW);
        private static final HotCall CLOSE = HotCall.of("close");
        private static final HotCall CRITICAL_CLOSE = HotCall.critical("close");
        private static final CapturedCall CAPTURED_CLOSE = CapturedCall.linked(Library.C, "close", Backend.RAW);
        private static final CapturedCall CAPTURED_SEEK = CapturedCall.linked(Library.C, "lseek", Backend.RAW);
        private static final SystemCall RAW = linked("lseek", Backend.RAW);
        private static final SystemCall RAW_CRITICAL = linked("lseek", Backend.RAW, CRITICAL);
        private static final SystemCall LIBC = linked("getppid", Backend.LIBC);
        private static final MemorySegment LABS_ADDRESS = Library.C.find("labs");
        private static final MemorySegment KEPT = Arena.ofShared().allocate(8);
        private static final MemorySegment CALLBACK = callback();

        private static MemorySegment callback() {
            try {
                MethodHandle target = MethodHandles.lookup()
                        .findStatic(Math.class, "abs", MethodType.methodType(long.class, long.class));
                FunctionDescriptor descriptor = FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
                return Callback.of(target, descriptor, Arena.global(), 0L, thrown -> {});
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
    }
}
