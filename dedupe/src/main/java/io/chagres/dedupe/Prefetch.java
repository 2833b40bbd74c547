package io.chagres.dedupe;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.CacheStat;
import io.chagres.linux.Fd;
import io.chagres.linux.Mapping;

/**
 * Reads ranges that are not in the page cache: the comparison itself would wait for page after page. Through a mapping
 * they get large folios, which the kernel allocates, locks and compares at once; a hint would get single pages. Waits
 * for the disk. Confined to one thread at a time.
 */
final class Prefetch implements AutoCloseable {
    /** Pages that were read for a sample are fewer than one in this number. */
    private static final long FEW = 8;

    private final CacheStat cache = new CacheStat();

    void range(Fd fd, long position, long lengthBytes) {
        long cachedBytes = cache.cachedBytes(fd, position, lengthBytes);
        if (cachedBytes >= lengthBytes) {
            return;
        }
        if (cachedBytes >= 0 && cachedBytes < lengthBytes / FEW) {
            fd.tryAdvise(position, lengthBytes, Fd.POSIX_FADV_DONTNEED); // single pages keep large ones out
        }
        try (Mapping mapping = Mapping.read(fd, position, lengthBytes)) {
            mapping.advise(0, lengthBytes, Mapping.MADV_HUGEPAGE);
            mapping.populate(0, lengthBytes); // the comparison notices what was cut off meanwhile
        } catch (ErrnoException e) {
            fd.tryAdvise(position, lengthBytes, Fd.POSIX_FADV_WILLNEED);
        }
    }

    @Override
    public void close() {
        cache.close();
    }
}
