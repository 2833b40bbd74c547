package io.chagres.mount;

import java.util.function.LongSupplier;

/** Milliseconds that never jump. */
final class TestClock implements LongSupplier {
    @Override
    public long getAsLong() {
        return System.nanoTime() / 1_000_000;
    }
}
