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
}
