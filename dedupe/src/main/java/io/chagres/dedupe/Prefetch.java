package io.chagres.dedupe;

import io.chagres.linux.CacheStat;
import io.chagres.linux.Fd;

/**
 * Lets the kernel read ranges ahead that are not in the page cache: the comparison itself would wait for page after
 * page. Confined to one thread at a time.
 */
final class Prefetch implements AutoCloseable {
    /** The kernel reads no more for one hint than its read-ahead allows. */
    private static final long SLICE_BYTES = 512 * 1024;

    private final CacheStat cache = new CacheStat();

    Prefetch() {}

    void range(Fd fd, long position, long lengthBytes) {
        if (cache.cachedBytes(fd, position, lengthBytes) >= lengthBytes) {
            return;
        }
        for (long done = 0; done < lengthBytes; done += SLICE_BYTES) {
            fd.tryAdvise(position + done, Math.min(SLICE_BYTES, lengthBytes - done), Fd.POSIX_FADV_WILLNEED);
        }
    }

    @Override
    public void close() {
        cache.close();
    }
}
