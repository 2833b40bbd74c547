package io.chagres.ship;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Keeps since when something is owed, of what does not know it itself: from the first look that sees it, until one that
 * does not. Times are milliseconds of the shipper's clock. Confined to the shipper's thread.
 *
 * @param <K> names the thing that is owed
 */
final class OwedSince<K> {
    private final Map<K, Long> since = new HashMap<>();

    /** Takes all that is owed now, and returns since when the oldest is; {@link Long#MAX_VALUE} when nothing is. */
    long oldest(Set<K> owed, long nowMs) {
        since.keySet().retainAll(owed);
        long oldest = Long.MAX_VALUE;
        for (K each : owed) {
            oldest = Math.min(oldest, since.computeIfAbsent(each, absent -> nowMs));
        }
        return oldest;
    }
}
