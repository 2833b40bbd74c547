package io.chagres.ship.commit;

import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.random.RandomGenerator;

/**
 * Says when to repeat a request that a store refused: delays double from 100 ms to 10 s, each drawn between half and
 * the whole, so that many hosts do not come back at once, and last as long as the store wants. Confined to one thread.
 */
public final class Backoff {
    private static final long FIRST_MS = 100;
    private static final long LONGEST_MS = 10_000;

    /** A store that wants to be left alone for longer is asked again all the same: a drain lasts 25 s by default. */
    private static final long LONGEST_WANTED_MS = 20_000;

    private final RandomGenerator random;
    private long delayMs = FIRST_MS;

    /** Begins with the shortest delay. */
    public Backoff(RandomGenerator random) {
        this.random = random;
    }

    /** Returns the next delay after a refusal, in milliseconds. */
    public long nextMs(IOException refusal) {
        long wantedMs = refusal instanceof StoreException e ? e.retryAfterMs() : 0;
        return Math.max(nextMs(), Math.min(wantedMs, LONGEST_WANTED_MS));
    }

    private long nextMs() {
        long delay = delayMs / 2 + random.nextLong(delayMs / 2 + 1);
        delayMs = Math.min(LONGEST_MS, delayMs * 2);
        return delay;
    }
}
