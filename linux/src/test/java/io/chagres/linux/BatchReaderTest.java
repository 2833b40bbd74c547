package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.testkit.Allocations;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchReaderTest {
    private static final long SEED = Seeds.next("BatchReaderTest");
    private static final int FILES = 50;
    private static final int CAPACITY = 20;
    private static final int SLOT = 9000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment batched = arena.allocate(CAPACITY * SLOT);
    private final MemorySegment single = arena.allocate(SLOT);
    private final RandomGenerator random = Seeds.random(SEED);
    private final List<Fd> files = new ArrayList<>();

    private final Path temp;

    BatchReaderTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @BeforeEach
    void open() throws IOException {
        for (int i = 0; i < FILES; i++) {
            byte[] content = new byte[random.nextInt(30_000)];
            random.nextBytes(content);
            Path file = Files.write(temp.resolve("f" + i), content);
            files.add(Fd.open(FdTest.pathname(file), Fd.O_RDONLY, 0));
        }
    }

    @AfterEach
    void close() {
        files.forEach(Fd::close);
        arena.close();
    }

    @Test
    void aRingIsUsedWhereThereIsOne() {
        Requires.allowed("io_uring", IoUring.isSupported());
        try (BatchReader reader = BatchReader.open(CAPACITY)) {
            assertThat(reader.isBatched()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyReadGivesWhatPreadGives(boolean ring) {
        try (BatchReader reader = ring ? BatchReader.open(CAPACITY) : BatchReader.sequential(CAPACITY)) {
            for (int round = 0; round < 300; round++) {
                compareBatch(reader);
                reader.clear();
            }
        }
    }

    private void compareBatch(BatchReader reader) {
        int count = random.nextInt(CAPACITY + 1);
        int[] fds = new int[count];
        int[] lengths = new int[count];
        long[] positions = new long[count];
        batched.fill((byte) 0);
        for (int i = 0; i < count; i++) {
            boolean closed = random.nextInt(20) == 0;
            fds[i] = closed ? 9999 : files.get(random.nextInt(FILES)).value();
            lengths[i] = random.nextInt(SLOT + 1);
            positions[i] = random.nextInt(35_000);
            assertThat(reader.add(fds[i], batched, (long) i * SLOT, lengths[i], positions[i]))
                    .isEqualTo(i);
            if (random.nextInt(5) == 0) {
                reader.read();
            }
        }
        reader.read();
        for (int i = 0; i < count; i++) {
            single.fill((byte) 0);
            long expected = Fd.pread(fds[i], single, 0, lengths[i], positions[i]);
            assertThat(reader.result(i)).isEqualTo((int) expected);
            assertThat(batched.asSlice((long) i * SLOT, SLOT).mismatch(single)).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void limitsAndErrors(boolean ring) {
        int fd = files.getFirst().value();
        try (BatchReader reader = ring ? BatchReader.open(2) : BatchReader.sequential(2)) {
            reader.read();
            assertThat(reader.add(fd, batched, 0, 1, 50_000)).isZero();
            assertThatThrownBy(() -> reader.result(0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(reader.add(9999, batched, 0, 1, 0)).isEqualTo(1);
            assertThat(reader.add(fd, batched, 0, 1, 0)).isEqualTo(-1);
            reader.read();
            reader.read();
            assertThat(reader.result(0)).isZero();
            assertThat(reader.result(1)).isEqualTo(-Errno.EBADF);
            reader.clear();
            assertThatThrownBy(() -> reader.result(0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> reader.add(fd, batched, 0, 1, -1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> reader.add(fd, batched.asReadOnly(), 0, 1, 0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> BatchReader.open(0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void anotherThreadStillReads() throws InterruptedException, ExecutionException {
        try (BatchReader reader = BatchReader.open(CAPACITY);
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            executor.submit(() -> compareBatch(reader)).get();
            reader.clear();
            compareBatch(reader);
        }
    }

    @Test
    @Tag("unchecked")
    void readingAllocatesNothing() {
        try (BatchReader reader = BatchReader.open(CAPACITY)) {
            int[] fds = files.stream().mapToInt(Fd::value).toArray();
            long bytes = Allocations.fewestBytes(500, () -> {
                for (int round = 0; round < 200; round++) {
                    reader.clear();
                    for (int i = 0; i < CAPACITY; i++) {
                        reader.add(fds[i], batched, (long) i * SLOT, 0, 100);
                    }
                    reader.read();
                    for (int i = 0; i < CAPACITY; i++) {
                        if (reader.result(i) != 0) {
                            throw new AssertionError(reader.result(i));
                        }
                    }
                }
            });
            assertThat(bytes).isZero();
        }
    }
}
