package io.chagres.dedupe;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts files and bytes that were found and shared. Safe for any thread; numbers grow while workers work. */
public final class DedupeTotals {
    private final Map<Count, LongAdder> counters = new EnumMap<>(Count.class);

    DedupeTotals() {
        for (Count count : Count.values()) {
            counters.put(count, new LongAdder());
        }
    }

    /**
     * Returns a number.
     *
     * @param count which
     * @return files, calls or bytes, 0 or more
     */
    public long get(Count count) {
        return counter(count).sum();
    }

    void add(Count count, long number) {
        counter(count).add(number);
    }

    private LongAdder counter(Count count) {
        LongAdder counter = counters.get(count);
        if (counter == null) {
            throw new AssertionError(count);
        }
        return counter;
    }
}
