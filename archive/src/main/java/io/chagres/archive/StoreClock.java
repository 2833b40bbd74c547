package io.chagres.archive;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks a store what time it is: that which it gives to an object made now. The age of an object is a difference of two
 * times of one clock then, whatever the clock here says. Stateless.
 */
public final class StoreClock {
    private static final SecureRandom RANDOM = new SecureRandom();

    private StoreClock() {}

    /**
     * Returns a time that is not after that of the store, in milliseconds since 1970: its time now, or where a listing
     * does not show the object that was made, that of an earlier question; {@link Long#MIN_VALUE} when there is none.
     */
    public static long nowMs(BlobStore store, String hostId) throws IOException {
        List<BlobInfo> shown = ask(store, hostId);
        for (BlobInfo object : shown) {
            store.delete(object.key());
        }
        return newestMs(shown);
    }

    /** Returns the same for whoever may not delete: what was made stays until the next {@link #nowMs}. */
    public static long askMs(BlobStore store, String hostId) throws IOException {
        return newestMs(ask(store, hostId));
    }

    private static List<BlobInfo> ask(BlobStore store, String hostId) throws IOException {
        String prefix = ArchiveLayout.clock(hostId);
        store.putIfAbsent(prefix + ArchiveLayout.hex(RANDOM.nextLong()), MemorySegment.ofArray(new byte[1]));
        List<BlobInfo> shown = new ArrayList<>();
        store.list(prefix, null).forEach(shown::add);
        return shown;
    }

    private static long newestMs(List<BlobInfo> shown) {
        return shown.stream().mapToLong(BlobInfo::modifiedMs).max().orElse(Long.MIN_VALUE);
    }
}
