package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.linux.Signals;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests from one device, one step at a time, and has them served. Confined to one thread, but for
 * {@link #wake}.
 */
final class Worker implements Runnable {
    private static final Logger LOG = System.getLogger("io.chagres.fuse");

    private final Session session;
    private final Device device;
    private final Runnable atEnd;
    private @Nullable HandledExchange next;

    /** Another reads in its place. */
    private volatile boolean retired;

    private volatile boolean ended;

    /** The number of the thread that runs it; 0 before and after. */
    private volatile int thread;

    Worker(Session session, Device device, Runnable atEnd) {
        this.session = session;
        this.device = device;
        this.atEnd = atEnd;
    }

    /** Serves until the file system is unmounted. */
    @Override
    public void run() {
        thread = Signals.thread();
        try {
            int result;
            do {
                result = serveOne();
            } while (result >= 0 && !session.isStopping() && !retired);
            if (result < 0 && result != -Errno.ENODEV && result != -Errno.ECONNABORTED && result != -Errno.EBADF) {
                LOG.log(
                        Level.ERROR,
                        "cannot read requests from " + FdDevice.PATH + " (" + Errno.message(-result)
                                + "); this thread ends, and with the last one the mount");
            }
        } finally {
            thread = 0;
            giveBack();
            ended = true;
            atEnd.run();
        }
    }

    /** Returns what it reads from. */
    Device device() {
        return device;
    }

    /** Has it end after the request that it is at, or else after the next one. */
    void retire() {
        retired = true;
    }

    /** Says whether it reads no more. */
    boolean hasEnded() {
        return ended;
    }

    /** Has it look whether it should end, should it wait for a request now. Returns 0, or -errno. */
    int wake() {
        int number = thread;
        return number == 0 ? 0 : Signals.tryInterrupt(number);
    }

    /**
     * Waits for one request and serves it.
     *
     * @return 1 if one was served or handed on, 0 if it was taken back meanwhile, -errno if there will be no more
     */
    int serveOne() {
        DeviceExchange exchange = (DeviceExchange) taken();
        long n = exchange.receive(device);
        if (n < 0) {
            return n == -Errno.ENOENT || n == -Errno.EINTR || n == -Errno.EAGAIN ? 0 : (int) n;
        }
        next = session.serve(exchange) ? exchange : null;
        return 1;
    }

    /** Gives the exchange back that waits for the next request. */
    void giveBack() {
        if (next != null) {
            session.pool.give(next);
            next = null;
        }
    }

    private HandledExchange taken() {
        HandledExchange exchange = next == null ? session.pool.take() : next;
        next = exchange;
        return exchange;
    }
}
