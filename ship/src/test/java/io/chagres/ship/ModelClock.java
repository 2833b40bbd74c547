package io.chagres.ship;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that goes only when it is told to. */
final class ModelClock extends Clock {
    /** Always behind the clock of files: one that is set back hides changes. */
    private long nowMs = 1_700_000_000_000L;

    void advance(long ms) {
        nowMs += ms;
    }

    @Override
    public long millis() {
        return nowMs;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(nowMs);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
