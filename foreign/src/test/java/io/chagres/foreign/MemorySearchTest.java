package io.chagres.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Allocations;
import io.chagres.testkit.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Compares scanning and comparing with byte loops. */
class MemorySearchTest {
    private static final int ROUNDS = 3_000;
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
    void mismatchAgreesWithTheJdk() {
        long seed = Seeds.next("MemorySearchTest.mismatch");
        RandomGenerator random = Seeds.random(seed);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = arena.allocate(MAX_BYTES);
            MemorySegment b =
                    random.nextBoolean() ? arena.allocate(MAX_BYTES) : MemorySegment.ofArray(new byte[MAX_BYTES]);
            for (int round = 0; round < ROUNDS; round++) {
                int size = size(random);
                int aOffset = random.nextInt(Math.min(64, MAX_BYTES - size + 1));
                int bOffset = random.nextInt(Math.min(64, MAX_BYTES - size + 1));
                MemorySegment.copy(a, aOffset, b, bOffset, size);
                for (int changes = random.nextInt(3); changes > 0 && size > 0; changes--) {
                    b.set(ValueLayout.JAVA_BYTE, bOffset + random.nextInt(size), (byte) random.nextInt());
                }
                long expected = a.asSlice(aOffset, size).mismatch(b.asSlice(bOffset, size));
                assertThat(MemoryCompare.mismatch(a, aOffset, b, bOffset, size)).isEqualTo(expected);
                assertThat(MemoryCompare.equal(a, aOffset, b, bOffset, size)).isEqualTo(expected < 0);
            }
        }
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
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = arena.allocate(8192).fill((byte) 'x');
            MemorySegment b = arena.allocate(8192).fill((byte) 'x');
            long bytes = Allocations.fewestBytes(500, () -> {
                for (int i = 0; i < 10_000; i++) {
                    boolean found = MemoryScan.indexOfZero(a, i % 64, 4096) >= 0
                            || MemoryScan.trailingZeros(a, 0, 4096) != 0
                            || MemoryScan.lastIndexOf(a, (byte) 'x', i % 64, 4096) != 4095
                            || MemoryCompare.mismatch(a, i % 64, b, 0, 4096) >= 0;
                    if (found) {
                        throw new AssertionError();
                    }
                }
            });
            assertThat(bytes).isZero();
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
        for (int i = 0; i < size; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, offset + i) == 0) {
                return i;
            }
        }
        return -1;
    }

    private static long lastIndex(MemorySegment memory, int offset, int size) {
        for (int i = size - 1; i >= 0; i--) {
            if (memory.get(ValueLayout.JAVA_BYTE, offset + i) == 'x') {
                return i;
            }
        }
        return -1;
    }
}
