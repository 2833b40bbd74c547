package io.chagres.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

/** Tests that garbage goes while a program works, long before the heap is full. */
class HeapCareTest {
    private static final int MUCH_BYTES = 64 << 20;

    @Test
    void muchGarbageIsCollectedBeforeAnybodyRests() {
        HeapCare heap = new HeapCare();
        heap.step(0, 0);
        WeakReference<byte[]> witness = new WeakReference<>(new byte[MUCH_BYTES]);
        heap.step(1, 1);
        assertThat(witness.get()).isNull();
    }

    @Test
    void whatManyFilesTakeIsNoGarbage() {
        long[] heap = {0};
        int[] collections = {0};
        HeapCare care = new HeapCare(() -> heap[0], () -> collections[0]++);
        care.step(0, 0);
        heap[0] = MUCH_BYTES;
        care.step(1, 500_000);
        assertThat(collections[0]).isZero();
        heap[0] = 2 * MUCH_BYTES;
        care.step(2, 500_000);
        assertThat(collections[0]).isEqualTo(1);
        heap[0] += MUCH_BYTES;
        care.step(3, 500_001);
        assertThat(collections[0]).isEqualTo(2);
    }

    @Test
    void whatWasKeptOfKnownFilesIsGarbageOnceTheyAreFound() {
        long[] heap = {0};
        int[] collections = {0};
        HeapCare care = new HeapCare(() -> heap[0], () -> collections[0]++);
        care.knows(300_000);
        care.step(0, 0);
        heap[0] = MUCH_BYTES;
        care.step(1, 300_000);
        assertThat(collections[0]).isEqualTo(1);
    }
}
