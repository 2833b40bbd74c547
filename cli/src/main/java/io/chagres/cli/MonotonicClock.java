package io.chagres.cli;

import java.util.function.LongSupplier;

/** Milliseconds that never jump, from an arbitrary start: for intervals, whatever happens to the wall clock. */
final class MonotonicClock implements LongSupplier {
    @Override
    public long getAsLong() {
        return System.nanoTime() / 1_000_000;
    }
}
