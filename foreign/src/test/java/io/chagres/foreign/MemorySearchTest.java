package io.chagres.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Allocations;
import io.chagres.testkit.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares scanning and comparing with byte loops. */
@Tag("long")
class MemorySearchTest {
    private static final int ROUNDS = 2_000;
    private static final int MAX_BYTES = 300_000;

    @Test
    void scansAgreeWithByteLoops() {
        long seed = Seeds.next("MemorySearchTest.scans");
        RandomGenerator random = Seeds.random(seed);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(MAX_BYTES);
            for (int round = 0; round < ROUNDS; round++) {
                int size = size(random);
                int offset = random.nextInt(Math.min(64, MAX_BYTES - size + 1));
                memory.asSlice(offset, size).fill((byte) 'x');
                zero(memory, offset + random.nextInt(size + 1), random.nextInt(3), offset + size);
                zero(memory, offset + size - random.nextInt(size + 1), size, offset + size);
                assertThat(MemoryScan.indexOfZero(memory, offset, size)).isEqualTo(firstIndex(memory, offset, size));
                assertThat(MemoryScan.lastIndexOf(memory, (byte) 'x', offset, size))
                        .isEqualTo(lastIndex(memory, offset, size));
                assertThat(MemoryScan.trailingZeros(memory, offset, size))
                        .isEqualTo(size - 1 - lastIndex(memory, offset, size));
            }
        }
    }

    @Test
    void bytesAreFoundWhereTheyAreAlsoOverTheEdgesOfPieces() {
        long seed = Seeds.next("MemorySearchTest.needles");
        RandomGenerator random = Seeds.random(seed);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(MAX_BYTES);
            for (int round = 0; round < ROUNDS; round++) {
                int size = round % 10 == 0 ? MAX_BYTES : 1 + size(random);
                int offset = random.nextInt(Math.min(64, MAX_BYTES - size + 1));
                memory.asSlice(offset, size).fill((byte) 'x');
                int length = 1 + random.nextInt(300);
                MemorySegment needle = arena.allocate(length).fill((byte) 'x');
                needle.set(ValueLayout.JAVA_BYTE, random.nextInt(length), (byte) 'y');
                int edge = (int) MemoryCompare.PIECE - length + random.nextInt(2 * length);
                int at = round % 10 == 0 ? edge : random.nextInt(size);
                boolean fits = at + length <= size;
                if (fits) {
                    MemorySegment.copy(needle, 0, memory, offset + at, length);
                }
                assertThat(MemoryScan.indexOf(memory, needle, offset, size)).isEqualTo(fits ? at : -1);
                assertThat(MemoryScan.indexOf(memory, (byte) 'y', offset, size))
                        .isEqualTo(fits ? at + MemoryScan.indexOf(needle, (byte) 'y', 0, length) : -1);
            }
        }
    }

    @Test
    void mismatchAgreesWithAByteLoop() {
        long seed = Seeds.next("MemorySearchTest.mismatch");
        RandomGenerator random = Seeds.random(seed);
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> kinds = List.of(
                    arena.allocate(MAX_BYTES),
                    arena.allocate(MAX_BYTES),
                    MemorySegment.ofArray(new byte[MAX_BYTES]),
                    MemorySegment.ofArray(new byte[MAX_BYTES + 3]).asSlice(3),
                    MemorySegment.ofArray(new long[MAX_BYTES / 8 + 1]));
            for (int round = 0; round < ROUNDS; round++) {
                MemorySegment a = kinds.get(random.nextInt(kinds.size()));
                MemorySegment b = kinds.get(random.nextInt(kinds.size()));
                if (a != b) {
                    compare(a, b, random);
                }
            }
        }
    }

    private static void compare(MemorySegment a, MemorySegment b, RandomGenerator random) {
        int size = size(random);
        int aOffset = random.nextInt(Math.min(64, MAX_BYTES - size + 1));
        int bOffset = random.nextInt(Math.min(64, MAX_BYTES - size + 1));
        a.asSlice(aOffset, size).fill((byte) random.nextInt());
        MemorySegment.copy(a, aOffset, b, bOffset, size);
        for (int changes = random.nextInt(3); changes > 0 && size > 0; changes--) {
            b.set(ValueLayout.JAVA_BYTE, bOffset + random.nextInt(size), (byte) random.nextInt());
        }
        byte[] first = a.asSlice(aOffset, size).toArray(ValueLayout.JAVA_BYTE);
        byte[] second = b.asSlice(bOffset, size).toArray(ValueLayout.JAVA_BYTE);
        int expected = 0;
        while (expected < size && first[expected] == second[expected]) {
            expected++;
        }
        expected = expected == size ? -1 : expected;
        MemorySegment hidden = random.nextBoolean() ? b : b.asReadOnly();
        assertThat(MemoryCompare.mismatch(a, aOffset, hidden, bOffset, size)).isEqualTo(expected);
        assertThat(MemoryCompare.equal(hidden, bOffset, a, aOffset, size)).isEqualTo(expected < 0);
    }

    @Test
    void freedMemoryAndMemoryOfOthersIsRefused() throws InterruptedException {
        Arena arena = Arena.ofConfined();
        MemorySegment memory = arena.allocate(16);
        AtomicReference<Throwable> refused = new AtomicReference<>();
        Thread other = Thread.ofPlatform().start(() -> {
            try {
                MemoryCompare.equal(memory, 0, memory, 8, 8);
            } catch (WrongThreadException e) {
                refused.set(e);
            }
        });
        other.join();
        assertThat(refused.get()).isNotNull();
        arena.close();
        assertThatThrownBy(() -> MemoryCompare.equal(memory, 0, memory, 8, 8))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> MemoryScan.indexOfZero(memory, 0, 8)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> CString.equal(memory, 0, 8, MemorySegment.ofArray(new byte[4])))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void nothingOutsideTheSegmentIsRead() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(16);
            assertThatThrownBy(() -> MemoryScan.indexOfZero(memory, 8, 9))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> MemoryScan.lastIndexOf(memory, (byte) 0, -1, 2))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> MemoryCompare.equal(memory, 0, memory, 9, 8))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void cStringsRoundTrip() {
        try (Arena arena = Arena.ofConfined()) {
            byte[] bytes = {(byte) 0xff, 'a', '\n', (byte) 0x80};
            MemorySegment string = CString.encode(bytes, arena);
            assertThat(string.byteSize()).isEqualTo(5);
            assertThat(CString.length(string, 0, 5)).isEqualTo(4);
            assertThat(CString.decode(string, 0, 5)).isEqualTo(bytes);
            assertThat(CString.decode(string, 1, 2)).isEqualTo(new byte[] {'a', '\n'});
            assertThat(CString.length(CString.EMPTY, 0, 1)).isZero();
        }
    }

    @Test
    void searchingAllocatesNothing() {
        MemorySegment heapA = MemorySegment.ofArray(new byte[8192]);
        MemorySegment heapB = MemorySegment.ofArray(new byte[8192]);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = arena.allocate(8192).fill((byte) 'x');
            MemorySegment b = arena.allocate(8192).fill((byte) 'x');
            MemorySegment zeros = arena.allocate(8192);
            useSegmentsOfManyKinds(arena);
            long bytes = Allocations.fewestBytes(500, () -> {
                for (int i = 0; i < 10_000; i++) {
                    boolean found = MemoryScan.indexOfZero(a, i % 64, 4096) >= 0
                            || MemoryScan.trailingZeros(a, 0, 4096) != 0
                            || MemoryScan.trailingZeros(zeros, i % 64, 4096) != 4096
                            || MemoryScan.lastIndexOf(a, (byte) 'x', i % 64, 4096) != 4095
                            || MemoryCompare.mismatch(a, i % 64, b, 0, 4096) >= 0
                            || MemoryCompare.mismatch(heapA, i % 64, heapB, 0, 5000) >= 0
                            || MemoryCompare.mismatch(heapA, i % 64, a, 0, 5000) != 0;
                    if (found) {
                        throw new AssertionError();
                    }
                }
            });
            assertThat(bytes).isZero();
        }
    }

    /** Shows the JIT what it sees in a large program: it then cannot tell which class a segment has. */
    private static void useSegmentsOfManyKinds(Arena arena) {
        List<MemorySegment> kinds = List.of(
                arena.allocate(4096),
                MemorySegment.ofArray(new byte[4096]),
                MemorySegment.ofArray(new short[2048]),
                MemorySegment.ofArray(new int[1024]),
                MemorySegment.ofArray(new long[512]),
                MemorySegment.ofArray(new double[512]).asReadOnly());
        for (int i = 0; i < 100_000; i++) {
            MemorySegment a = kinds.get(i % kinds.size());
            MemorySegment b = kinds.get(i / kinds.size() % kinds.size());
            assertThat(MemoryCompare.mismatch(a, 0, b, 0, 4096 - i % 64)).isEqualTo(-1);
            assertThat(MemoryScan.trailingZeros(a, i % 64, 64)).isEqualTo(64);
        }
    }

    private static int size(RandomGenerator random) {
        return switch (random.nextInt(20)) {
            case 0 -> random.nextInt(MAX_BYTES - 64);
            case 1, 2, 3 -> random.nextInt(20_000);
            default -> random.nextInt(600);
        };
    }

    private static void zero(MemorySegment memory, int from, int length, int end) {
        memory.asSlice(from, Math.min(length, end - from)).fill((byte) 0);
    }

    private static long firstIndex(MemorySegment memory, int offset, int size) {
        byte[] bytes = memory.asSlice(offset, size).toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < size; i++) {
            if (bytes[i] == 0) {
                return i;
            }
        }
        return -1;
    }

    private static long lastIndex(MemorySegment memory, int offset, int size) {
        byte[] bytes = memory.asSlice(offset, size).toArray(ValueLayout.JAVA_BYTE);
        for (int i = size - 1; i >= 0; i--) {
            if (bytes[i] == 'x') {
                return i;
            }
        }
        return -1;
    }
}
