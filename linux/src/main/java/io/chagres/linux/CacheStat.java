package io.chagres.linux;

import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How much of a file the page cache holds, see cachestat(2), since Linux 6.5; {@code struct cachestat} of
 * {@code include/uapi/linux/mman.h}. Used by one thread at a time. Asking allocates nothing.
 */
public final class CacheStat implements AutoCloseable {
    /** The same number on every architecture. */
    private static final int SYS_CACHESTAT = 451;

    private static final CapturedCall SYSCALL = CapturedCall.of("syscall");
    private static final int RANGE_BYTES = 16;
    private static final int STAT_BYTES = 40;
    private static final int CACHED = RANGE_BYTES;
    private static final int DIRTY = RANGE_BYTES + 8;
    private static final int WRITEBACK = RANGE_BYTES + 16;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(RANGE_BYTES + STAT_BYTES, 8);

    /** Makes a buffer, freed by {@link #close()}. */
    public CacheStat() {}

    /**
     * Counts the pages of a range that are in the page cache.
     *
     * @param fd a file
     * @param position where the range begins, bytes from the start of the file
     * @param lengthBytes its length
     * @return bytes, a multiple of the page size; or {@code -errno}: -ENOSYS before Linux 6.5, -EPERM in sandboxes and
     *     for files that the caller neither owns nor may write, -EOPNOTSUPP for hugetlbfs
     */
    public long cachedBytes(Fd fd, long position, long lengthBytes) {
        int result = ask(fd, position, lengthBytes);
        return result < 0 ? result : buffer.get(LONG, CACHED) * MapCalls.PAGE_BYTES;
    }

    /**
     * Counts the pages of a file that are not on its disk yet: dirty, or being written. Of a file system without a disk
     * (tmpfs) none is. Asking looks at each page that is in the page cache.
     *
     * @param fd a file
     * @return bytes, a multiple of the page size; or {@code -errno}, as of {@link #cachedBytes}
     */
    public long unwrittenBytes(Fd fd) {
        int result = ask(fd, 0, 0);
        return result < 0 ? result : (buffer.get(LONG, DIRTY) + buffer.get(LONG, WRITEBACK)) * MapCalls.PAGE_BYTES;
    }

    private int ask(Fd fd, long position, long lengthBytes) {
        buffer.set(LONG, 0, position);
        buffer.set(LONG, 8, lengthBytes); // 0 is up to the end
        long address = buffer.address();
        return SYSCALL.callInt(buffer, SYS_CACHESTAT, fd.value(), address, address + RANGE_BYTES, 0);
    }

    /** Frees the buffer. Idempotent. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
