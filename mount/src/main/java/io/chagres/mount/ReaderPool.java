package io.chagres.mount;

import io.chagres.archive.read.VersionReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Lends readers of versions, each to one thread at a time. The one used last is lent first: it has the frames that the
 * next small file shares with the one before. Owns the readers. Safe for any thread.
 */
final class ReaderPool implements AutoCloseable {
    private static final int MAX_IDLE = 8;
    private static final long CACHE_BYTES = 1 << 20;

    /** A reader of a host. */
    record Loan(HostTree host, VersionReader reader) {}

    private final Deque<Loan> idle = new ArrayDeque<>();
    private boolean closed;

    /** Lends a reader of a host. */
    Loan take(HostTree host) {
        Loan found = takeIdle(host);
        return found == null
                ? new Loan(host, new VersionReader(host.store(), host.id(), host::version, CACHE_BYTES))
                : found;
    }

    private synchronized @Nullable Loan takeIdle(HostTree host) {
        Iterator<Loan> lastFirst = idle.iterator();
        while (lastFirst.hasNext()) {
            Loan loan = lastFirst.next();
            if (loan.host == host) {
                lastFirst.remove();
                return loan;
            }
        }
        return null;
    }

    /** Takes a reader back. */
    synchronized void give(Loan loan) {
        idle.push(loan);
        if (idle.size() > MAX_IDLE || closed) {
            idle.removeLast().reader().close();
        }
    }

    /** Closes the readers; those that are lent are closed when they come back. */
    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(loan -> loan.reader().close());
        idle.clear();
    }
}
