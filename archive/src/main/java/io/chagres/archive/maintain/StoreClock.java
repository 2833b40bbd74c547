package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks a store what time it is: that which it gives to an object made now. The age of an object is a difference of two
 * times of one clock then, whatever the clock here says. Stateless.
 */
final class StoreClock {
    private static final SecureRandom RANDOM = new SecureRandom();

    private StoreClock() {}

    /**
     * Returns a time that is not after that of the store, in milliseconds since 1970: its time now, or where a listing
     * does not show the object that was made, that of an earlier question; {@link Long#MIN_VALUE} when there is none.
     */
    static long nowMs(BlobStore store, String hostId) throws IOException {
        String prefix = ArchiveLayout.clock(hostId);
        try (Arena arena = Arena.ofConfined()) {
            store.putIfAbsent(prefix + ArchiveLayout.hex(RANDOM.nextLong()), arena.allocate(1));
        }
        long nowMs = Long.MIN_VALUE;
        List<String> shown = new ArrayList<>();
        for (BlobInfo object : store.list(prefix, null)) {
            nowMs = Math.max(nowMs, object.modifiedMs());
            shown.add(object.key());
        }
        for (String key : shown) {
            store.delete(key);
        }
        return nowMs;
    }
}
