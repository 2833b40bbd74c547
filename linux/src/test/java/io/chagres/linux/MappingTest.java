package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappingTest {
    private static final int PAGE = (int) MapCalls.PAGE_BYTES;
    private static final int BYTES = 10 * PAGE + 100;

    private final byte[] content = new byte[BYTES];

    private final Path file;

    private Fd fd;

    MappingTest(@TempDir Path temp) {
        file = temp.resolve("file");
    }

    @BeforeEach
    void open() throws IOException {
        RandomGenerator.getDefault().nextBytes(content);
        Files.write(file, content);
        fd = Fd.open(FdTest.pathname(file), Fd.O_RDWR, 0);
    }

    @AfterEach
    void close() {
        fd.close();
    }

    @Test
    void anyRangeIsMapped() throws IOException {
        for (int position : new int[] {0, 1, PAGE - 1, PAGE, 3 * PAGE + 17}) {
            int length = BYTES - position - 5;
            try (Mapping mapping = Mapping.read(fd, position, length)) {
                assertThat(mapping.segment().byteSize()).isEqualTo(length);
                assertThat(mapping.populate(0, length)).isZero();
                assertThat(mapping.segment()
                                .mismatch(MemorySegment.ofArray(content).asSlice(position, length)))
                        .isEqualTo(-1);
            }
        }
    }

    @Test
    void theFileMayBeClosedAndTheMappingIsReadOnly() throws IOException {
        try (Mapping mapping = Mapping.read(fd, 5, 10)) {
            fd.close();
            assertThat(mapping.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(content[5]);
            assertThatThrownBy(() -> mapping.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> Mapping.read(fd, 0, 1)).hasMessageContaining("EBADF");
    }

    @Test
    void sharedWritesAreInTheFile() throws IOException {
        try (Mapping mapping = Mapping.shared(fd, PAGE + 3L, 10);
                Arena arena = Arena.ofConfined()) {
            mapping.segment().set(ValueLayout.JAVA_BYTE, 9, (byte) ~content[PAGE + 12]);
            MemorySegment read = arena.allocate(1);
            assertThat(fd.pread(read, 0, 1, PAGE + 12L)).isEqualTo(1);
            assertThat(read.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) ~content[PAGE + 12]);
            mapping.sync();
            assertThat(mapping.advise(0, 10, Mapping.MADV_DONTNEED)).isZero();
            assertThat(mapping.segment().get(ValueLayout.JAVA_BYTE, 9)).isEqualTo((byte) ~content[PAGE + 12]);
        }
    }

    @Test
    void adviceIsTaken() throws IOException {
        try (Mapping mapping = Mapping.read(fd, 10, BYTES - 10)) {
            int[] known = {
                Mapping.MADV_NORMAL,
                Mapping.MADV_RANDOM,
                Mapping.MADV_SEQUENTIAL,
                Mapping.MADV_WILLNEED,
                Mapping.MADV_DONTNEED
            };
            for (int advice : known) {
                assertThat(mapping.advise(PAGE + 7L, 100, advice)).isZero();
            }
            assertThat(mapping.advise(0, 1, Mapping.MADV_HUGEPAGE)).isIn(0, -Errno.EINVAL);
            assertThat(mapping.advise(0, 1, 9999)).isEqualTo(-Errno.EINVAL);
            assertThatThrownBy(() -> mapping.advise(1, BYTES, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> mapping.populate(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void aTruncatedFileIsAnsweredByPopulateAndThrownByATouch() throws IOException {
        try (Mapping mapping = Mapping.read(fd, 0, BYTES)) {
            assertThat(mapping.populate(0, BYTES)).isZero();
            fd.truncate(PAGE);
            assertThat(mapping.populate(0, PAGE)).isZero();
            assertThat(mapping.populate(0, BYTES)).isEqualTo(-Errno.EFAULT);
            assertThat(mapping.populate(5L * PAGE, 1)).isEqualTo(-Errno.EFAULT);
            assertThatThrownBy(() -> mapping.segment().get(ValueLayout.JAVA_BYTE, 5L * PAGE))
                    .isInstanceOf(InternalError.class);
            assertThat(mapping.segment().get(ValueLayout.JAVA_BYTE, PAGE - 1L)).isEqualTo(content[PAGE - 1]);
            fd.truncate(BYTES);
            assertThat(mapping.populate(0, BYTES)).isZero();
            assertThat(mapping.segment().get(ValueLayout.JAVA_BYTE, 5L * PAGE)).isZero();
        }
    }

    @Test
    void theKernelAnswersForAHole() throws IOException {
        try (Mapping mapping = Mapping.read(fd, 0, BYTES + 5L * PAGE);
                Pipe pipe = Pipe.open(Fd.O_NONBLOCK)) {
            assertThatThrownBy(() -> pipe.writeEnd().writeFully(mapping.segment(), BYTES + 2L * PAGE, 1))
                    .hasMessageContaining("EFAULT");
        }
    }

    @Test
    void wrongRangesAndFilesAreRefused() throws IOException {
        assertThatThrownBy(() -> Mapping.read(fd, 7, 0)).hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> Mapping.read(fd, -1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Mapping.read(fd, 0, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Mapping.read(fd, 0, 1L << 60)).hasMessageContaining("ENOMEM");
        assertThatThrownBy(() -> Mapping.read(fd, Long.MAX_VALUE, 2 * PAGE)).hasMessageContaining("EOVERFLOW");
        try (Fd reading = Fd.open(FdTest.pathname(file), Fd.O_RDONLY, 0);
                Fd writing = Fd.open(FdTest.pathname(file), Fd.O_WRONLY, 0);
                Pipe pipe = Pipe.open(0)) {
            assertThatThrownBy(() -> Mapping.shared(reading, 0, 1)).hasMessageContaining("EACCES");
            assertThatThrownBy(() -> Mapping.read(writing, 0, 1)).hasMessageContaining("EACCES");
            assertThatThrownBy(() -> Mapping.read(pipe.readEnd(), 0, 1)).hasMessageContaining("ENODEV");
        }
    }

    @Test
    void closingIsIdempotentAndFinal() throws IOException {
        Mapping mapping = Mapping.read(fd, 0, BYTES);
        long address = mapping.segment().address();
        assertThat(mapped(address)).isTrue();
        mapping.close();
        mapping.close();
        assertThat(mapped(address)).isFalse();
        assertThatThrownBy(() -> mapping.segment().get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> mapping.populate(0, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(mapping::sync).isInstanceOf(IllegalStateException.class);
    }

    private boolean mapped(long address) throws IOException {
        return Files.readString(Path.of("/proc/self/maps"))
                .lines()
                .anyMatch(line -> line.startsWith(Long.toHexString(address) + "-") && line.endsWith(file.toString()));
    }

    @Test
    void memoryOfNoFileIsZeroAndTakesUpRoomWhenTouched() throws IOException {
        long bytes = 1L << 34;
        try (Mapping mapping = Mapping.anonymous(bytes)) {
            assertThat(mapping.segment().byteSize()).isEqualTo(bytes);
            assertThat(mapping.segment().get(ValueLayout.JAVA_LONG, bytes - 8)).isZero();
            mapping.segment().set(ValueLayout.JAVA_LONG, 0, 7);
            assertThat(mapping.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
        }
        assertThatThrownBy(() -> Mapping.anonymous(0))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
