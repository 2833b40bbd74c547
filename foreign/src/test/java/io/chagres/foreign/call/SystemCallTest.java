package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The same on both backends and in both heats. */
class SystemCallTest {
    private static final int AT_FDCWD = -100;
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;

    private final Path temp;

    SystemCallTest(@TempDir Path temp) {
        this.temp = temp;
    }

    static Stream<Arguments> backends() {
        return Stream.of(Backend.values())
                .flatMap(backend -> Stream.of(
                        Arguments.of(backend, List.of()),
                        Arguments.of(backend, List.of(Linker.Option.critical(false)))));
    }

    @ParameterizedTest
    @MethodSource("backends")
    void resultsComeBack(Backend backend, List<Linker.Option> heat) throws IOException {
        Backends.needs(backend);
        SystemCall getppid = link("getppid", backend, heat);
        long parent = ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
        assertThat(getppid.callInt()).isEqualTo((int) parent);
        assertThat(getppid.callLong(MemorySegment.NULL, 0, 0, 0)).isEqualTo(parent);
    }

    @ParameterizedTest
    @MethodSource("backends")
    void failuresAreNegativeErrorNumbers(Backend backend, List<Linker.Option> heat) {
        Backends.needs(backend);
        SystemCall lseek = link("lseek", backend, heat);
        assertThat(lseek.callInt(-1, 0, 0)).isEqualTo(-Errno.EBADF);
        SystemCall access = link("faccessat", backend, heat);
        SystemCall unknown = SystemCall.linked(100_000, backend, false, heat.toArray(Linker.Option[]::new));
        assertThat(unknown.callInt()).isEqualTo(-Errno.ENOSYS);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment missing = arena.allocateFrom("/no/such/file");
            assertThat(access.callInt(missing, AT_FDCWD, missing.address(), 0, 0, 0))
                    .isEqualTo(-Errno.ENOENT);
        }
        assertThat(access.callInt(AT_FDCWD, 1, 0)).isEqualTo(-Errno.EFAULT);
    }

    /** copy_file_range has six parameters, and the last must be 0: all arrive where they belong. */
    @ParameterizedTest
    @MethodSource("backends")
    void sixArgumentsArrive(Backend backend, List<Linker.Option> heat) throws IOException {
        Backends.needs(backend);
        Path from = Files.writeString(temp.resolve("from"), "0123456789");
        Path to = Files.writeString(temp.resolve("to"), "abcdefghij");
        SystemCall openat = link("openat", backend, heat);
        SystemCall copy = link("copy_file_range", backend, heat);
        SystemCall pwrite = link("pwrite64", backend, heat);
        try (Arena arena = Arena.ofConfined()) {
            int source = open(openat, from, arena);
            int target = open(openat, to, arena);
            MemorySegment positions = arena.allocateFrom(ValueLayout.JAVA_LONG, 3, 5);
            long at = positions.address();
            assertThat(copy.callLong(positions, source, at, target, at + 8, 4, 0))
                    .isEqualTo(4);
            assertThat(Files.readString(to)).isEqualTo("abcde3456j");
            assertThat(copy.callLong(positions, source, at, target, at + 8, 4, 1))
                    .isEqualTo(-Errno.EINVAL);
            assertThat(pwrite.callLong(positions, target, from.toString().length(), 1, 0, 0, 0))
                    .isEqualTo(-Errno.EFAULT);
            CapturedCall close = CapturedCall.of("close");
            assertThat(close.callInt(source) + close.callInt(target)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("backends")
    void memoryTheKernelMustNotSeeIsRefused(Backend backend, List<Linker.Option> heat) {
        Backends.needs(backend);
        SystemCall pread = link("pread64", backend, heat);
        MemorySegment onHeap = MemorySegment.ofArray(new byte[8]);
        assertThatThrownBy(() -> pread.callLong(onHeap, 0, onHeap.address(), 8))
                .isInstanceOf(IllegalArgumentException.class);
        Arena arena = Arena.ofConfined();
        MemorySegment freed = arena.allocate(8);
        arena.close();
        assertThatThrownBy(() -> pread.callLong(freed, 0, freed.address(), 8))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void unknownNamesAreSaid() {
        assertThatThrownBy(() -> SystemCall.of("frobnicate"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("frobnicate");
        assertThat(SystemCall.critical("getppid").callInt())
                .isEqualTo(SystemCall.of("getppid").callInt());
    }

    @Test
    void rangesOfTheCacheFillArrays() throws IOException {
        if (!ArrayRead.isAvailable()) {
            assertThat(ArrayRead.nowait(0, new byte[1], 0, 1, 0)).isEqualTo(-Errno.ENOSYS);
            return;
        }
        Requires.disk(temp);
        Path file = Files.writeString(temp.resolve("file"), "0123456789");
        try (Arena arena = Arena.ofConfined();
                RandomAccessFile kept = new RandomAccessFile(file.toFile(), "r")) {
            int fd = open(SystemCall.of("openat"), file, arena);
            byte[] array = "----------------".getBytes(StandardCharsets.US_ASCII);
            assertThat(ArrayRead.nowait(fd, array, 2, 4, 3)).isEqualTo(4);
            assertThat(new String(array, StandardCharsets.US_ASCII)).isEqualTo("--3456----------");
            assertThat(ArrayRead.nowait(fd, array, 0, 16, 8)).isEqualTo(2);
            assertThat(ArrayRead.nowait(fd, array, 0, 16, 10)).isZero();
            assertThat(ArrayRead.nowait(fd, array, 16, 0, 0)).isZero();
            assertThat(ArrayRead.nowait(fd, array, 0, 1, -1)).isEqualTo(-Errno.EINVAL);
            assertThat(ArrayRead.nowait(-1, array, 0, 1, 0)).isEqualTo(-Errno.EBADF);
            assertThat(kept.length()).isEqualTo(10);
            assertThat(CapturedCall.of("close").callInt(fd)).isZero();
        }
        assertThatThrownBy(() -> ArrayRead.nowait(0, new byte[4], 2, 3, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> ArrayRead.nowait(0, new byte[1 << 20], 0, 1 << 20, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readsOfTheCacheSayWhyTheyGiveNothing() throws IOException {
        Requires.allowed("executable pages", ArrayRead.isAvailable());
        assertThat(nowaitOf(temp, O_RDONLY)).isIn((long) -Errno.EOPNOTSUPP, (long) -Errno.EISDIR);
        assertThat(nowaitOf(Path.of("/proc/version"), O_RDONLY)).isEqualTo(-Errno.EOPNOTSUPP);
        Program.ok("mkfifo", temp.resolve("fifo").toString());
        assertThat(nowaitOf(temp.resolve("fifo"), O_RDWR)).isEqualTo(-Errno.ESPIPE);
    }

    @Test
    void whatIsNotInTheCacheIsNotWaitedFor() throws IOException {
        Requires.allowed("executable pages", ArrayRead.isAvailable());
        Requires.disk(temp);
        Path file = Files.write(temp.resolve("cold"), new byte[1 << 20]);
        boolean cold = false;
        for (int attempt = 0; attempt < 50 && !cold; attempt++) {
            Program.ok("sync", file.toString());
            Program.ok("dd", "if=" + file, "iflag=nocache", "count=0", "status=none");
            long read = nowaitOf(file, O_RDWR);
            assertThat(read).isIn(16L, (long) -Errno.EAGAIN);
            cold = read < 0;
        }
        Requires.kernel("a temporary folder on a disk, whose page cache can be dropped,", cold);
    }

    private static long nowaitOf(Path path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(path.toString());
            int fd = SystemCall.of("openat").callInt(name, AT_FDCWD, name.address(), flags, 0, 0);
            long read = ArrayRead.nowait(fd, new byte[16], 0, 16, 0);
            assertThat(CapturedCall.of("close").callInt(fd)).isZero();
            return read;
        }
    }

    private static int open(SystemCall openat, Path path, Arena arena) {
        MemorySegment name = arena.allocateFrom(path.toString());
        int fd = openat.callInt(name, AT_FDCWD, name.address(), O_RDWR, 0, 0);
        assertThat(fd).isPositive();
        return fd;
    }

    private static SystemCall link(String name, Backend backend, List<Linker.Option> heat) {
        return SystemCall.linked(
                SystemCallNumbers.of(name), backend, !heat.isEmpty(), heat.toArray(Linker.Option[]::new));
    }
}
