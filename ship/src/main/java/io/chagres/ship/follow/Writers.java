package io.chagres.ship.follow;

import io.chagres.foreign.Errno;
import io.chagres.linux.CacheStat;
import io.chagres.linux.Fd;
import io.chagres.linux.Statx;
import io.chagres.ship.file.Tail;

/**
 * Knows whether somebody may change a file without a trace in its times. A store through a mapping moves them only
 * where the file system hears of it, and there once for each page until that page was written back. The operator's
 * settings decide when, so the page cache is asked whether it was. Confined to the shipper's thread.
 */
final class Writers implements AutoCloseable {
    /** Of a file up to this size the page cache says in one call what a lease says in three. */
    private static final long SMALL_BYTES = 1 << 20;

    private final CacheStat cache = new CacheStat();
    private final Statx stat = new Statx();

    /** Says whether the file system of a file moves times upon the first store into a page that was written back. */
    boolean timesStores(Tail tail) {
        return tail.volume().timesStores(tail.fd());
    }

    /** Says whether each change of a file from this moment on moves its change time. */
    boolean tell(Tail tail) {
        Fd fd = tail.fd();
        boolean isWritten =
                fd != null && tail.size() <= SMALL_BYTES && timesStores(tail) && cache.unwrittenBytes(fd) == 0;
        return isWritten || tell(tail, ask(tail));
    }

    /** Says the same when it was asked just now who has the file open. */
    boolean tell(Tail tail, int asked) {
        Fd fd = tail.fd();
        if (fd == null) {
            return false;
        }
        return timesStores(tail) ? asked == 0 || cache.unwrittenBytes(fd) == 0 : asked == 0 && reportsCloses(tail, fd);
    }

    /** Returns 0 if nobody has the file open for writing, -EAGAIN if somebody has, else -errno: it is not known. */
    int ask(Tail tail) {
        Fd fd = tail.fd();
        return fd == null ? -Errno.EBADF : fd.probeReadLease();
    }

    /** Says whether each close is heard: a writer by a name that is not watched closes it without an event. */
    private boolean reportsCloses(Tail tail, Fd fd) {
        return tail.reportsCloses() && stat.of(fd.value()) == 0 && stat.nlink() <= tail.nameCount();
    }

    @Override
    public void close() {
        cache.close();
        stat.close();
    }
}
