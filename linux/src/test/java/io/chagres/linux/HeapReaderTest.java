package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.call.ArrayRead;
import io.chagres.testkit.Allocations;
import io.chagres.testkit.OnVirtualThread;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HeapReaderTest {
    private static final int PIECE = ArrayRead.MAX_BYTES;

    private final Path temp;

    HeapReaderTest(@TempDir Path temp) {
        this.temp = temp;
    }

    /** One that tries the page cache first, where that is possible, and one that always waits. */
    static Stream<Arguments> readers() {
        return Stream.of(
                Arguments.of(new HeapReader(), ArrayRead.isAvailable()), Arguments.of(new HeapReader(false), false));
    }

    @ParameterizedTest
    @MethodSource("readers")
    void whatIsCachedIsReadAtOnce(HeapReader reader, boolean triesCache) throws IOException {
        Requires.disk(temp);
        byte[] content = content(3 * PIECE + 100);
        byte[] array = new byte[content.length + 10];
        try (Fd fd = open(content)) {
            assertThat(reader.read(fd, array, 3, content.length, 0)).isEqualTo(content.length);
            assertThat(Arrays.copyOfRange(array, 3, 3 + content.length)).isEqualTo(content);
            assertThat(array).startsWith(0, 0, 0).endsWith(0, 0, 0, 0, 0, 0, 0);
            assertThat(reader.read(fd, array, 0, array.length, PIECE)).isEqualTo(content.length - PIECE);
            assertThat(reader.read(fd, array, 0, 5, content.length)).isZero();
            assertThat(reader.read(fd, array, 0, 5, content.length + 7L)).isZero();
            assertThat(reader.read(fd, array, array.length, 0, 0)).isZero();
            assertThat(reader.hits()).isEqualTo(triesCache ? 4 + 2 : 0);
            assertThat(reader.misses()).isZero();
            reader.close();
            reader.close();
        }
    }

    @ParameterizedTest
    @MethodSource("readers")
    void whatIsNotCachedIsWaitedFor(HeapReader reader, boolean triesCache) throws IOException {
        Requires.disk(temp);
        byte[] content = content(20 * PIECE);
        byte[] array = new byte[content.length];
        try (Fd fd = open(content)) {
            fd.fsync();
            fd.advise(0, 0, Fd.POSIX_FADV_DONTNEED);
            assertThat(reader.read(fd, array, 0, array.length, 0)).isEqualTo(array.length);
            assertThat(array).isEqualTo(content);
            boolean cacheWasDropped = reader.hits() < 20;
            if (triesCache && cacheWasDropped) {
                assertThat(reader.misses()).isPositive();
                Arrays.fill(array, (byte) 0);
                long misses = reader.misses();
                for (int i = 0; i < 60; i++) {
                    reader.read(fd, array, 0, array.length, 0);
                }
                assertThat(array).isEqualTo(content);
                assertThat(reader.misses()).isEqualTo(misses);
                assertThat(reader.hits()).isGreaterThan(20);
            }
        }
    }

    /** Random reads of a file while random parts of it leave the page cache. */
    @ParameterizedTest
    @MethodSource("readers")
    void anyMixGivesTheSameBytes(HeapReader reader, boolean triesCache) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("HeapReaderTest.anyMixGivesTheSameBytes"));
        byte[] content = content(8 * PIECE + 4321);
        byte[] array = new byte[3 * PIECE];
        try (Fd fd = open(content)) {
            fd.fsync();
            fd.advise(0, 0, Fd.POSIX_FADV_RANDOM);
            for (int i = 0; i < 500; i++) {
                if (random.nextInt(4) == 0) {
                    fd.advise(random.nextInt(content.length), random.nextInt(content.length), Fd.POSIX_FADV_DONTNEED);
                }
                int position = random.nextInt(content.length + 1000);
                int offset = random.nextInt(array.length);
                int length = random.nextInt(array.length - offset + 1);
                int from = Math.min(position, content.length);
                int expected = Math.min(length, content.length - from);
                assertThat(reader.read(fd, array, offset, length, position)).isEqualTo(expected);
                assertThat(Arrays.equals(array, offset, offset + expected, content, from, from + expected))
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("readers")
    void fileSystemsThatCannotTellAreRead(HeapReader reader, boolean triesCache) throws ErrnoException {
        byte[] array = new byte[4096];
        try (Fd fd = Fd.open(Pathname.of("/proc/version"), Fd.O_RDONLY, 0)) {
            int n = reader.read(fd, array, 0, array.length, 0);
            assertThat(new String(array, 0, n, StandardCharsets.UTF_8)).startsWith("Linux version");
        }
    }

    @ParameterizedTest
    @MethodSource("readers")
    void errorsComeBack(HeapReader reader, boolean triesCache) throws IOException {
        byte[] array = new byte[16];
        try (Fd fd = open(content(10));
                Fd directory = Fd.open(FdTest.pathname(temp), Fd.O_RDONLY, 0);
                Fd memory = Fd.open(Pathname.of("/proc/self/mem"), Fd.O_RDONLY, 0)) {
            assertThat(reader.read(fd, array, 0, 16, -1)).isEqualTo(-Errno.EINVAL);
            assertThat(reader.read(directory, array, 0, 16, 0)).isEqualTo(-Errno.EISDIR);
            assertThat(reader.read(memory, array, 0, 16, 0)).isEqualTo(-Errno.EIO);
            assertThat(reader.read(-1, array, 0, 16, 0)).isEqualTo(-Errno.EBADF);
            assertThatThrownBy(() -> reader.read(directory, array, 1, 16, 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        Path fifo = temp.resolve("fifo");
        Program.ok("mkfifo", fifo.toString());
        try (Fd fd = Fd.open(FdTest.pathname(fifo), Fd.O_RDWR, 0)) {
            assertThat(reader.read(fd, array, 0, 16, 0)).isEqualTo(-Errno.ESPIPE);
        }
    }

    @Tag("unchecked")
    @ParameterizedTest
    @MethodSource("readers")
    void nothingIsAllocated(HeapReader reader, boolean triesCache) throws IOException {
        byte[] array = new byte[8192];
        try (Fd fd = open(content(5000))) {
            Runnable round = () -> {
                for (int i = 0; i < 3000; i++) {
                    if (reader.read(fd, array, 0, 100, 0) != 100
                            || reader.read(fd, array, 0, 8192, 4000) != 1000
                            || reader.read(fd, array, 0, 1, 5000) != 0
                            || (ArrayRead.isAvailable() && reader.read(-1, array, 0, 1, 0) != -Errno.EBADF)) {
                        throw new AssertionError("another result");
                    }
                }
            };
            assertThat(Allocations.fewestBytes(500, round)).isZero();
            assertThat(OnVirtualThread.get(() -> Allocations.fewestBytes(500, round)))
                    .isZero();
        }
    }

    private Fd open(byte[] content) throws IOException {
        return Fd.open(FdTest.pathname(Files.write(temp.resolve("file"), content)), Fd.O_RDWR, 0);
    }

    private static byte[] content(int length) {
        byte[] bytes = new byte[length];
        Seeds.random(length).nextBytes(bytes);
        return bytes;
    }
}
