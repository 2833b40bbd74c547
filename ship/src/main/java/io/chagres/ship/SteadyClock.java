package io.chagres.ship;

import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * Gives times for lags and ages: those of a clock of the day, but for the steps back that such a clock makes. Confined
 * to the shipper's thread where nothing else is said.
 */
final class SteadyClock implements LongSupplier {
    private final Clock clock;
    private volatile long clockMs;
    private long steadyMs;

    SteadyClock(Clock clock) {
        this.clock = clock;
    }

    /** Returns the time in milliseconds; never less than before. */
    @Override
    public long getAsLong() {
        long now = clock.millis();
        steadyMs += Math.max(0, now - clockMs);
        clockMs = now;
        return steadyMs;
    }

    /** Returns how long ago the shipper asked last, in milliseconds: it asks between any two calls. Any thread. */
    long askedAgoMs() {
        return Math.max(0, clock.millis() - clockMs);
    }
}
