package io.chagres.fuse;

import io.chagres.foreign.Errno;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Reads requests from one device, one step at a time, and handles them or hands them on. Confined to one thread. */
final class Worker implements Runnable {
    private static final Logger LOG = System.getLogger("io.chagres.fuse");

    private final Session session;
    private final Device device;
    private final Runnable atEnd;
    private final @Nullable Executor handlers;
    private @Nullable Exchange next;

    Worker(Session session, Device device, Runnable atEnd) {
        this.session = session;
        this.device = device;
        this.atEnd = atEnd;
        handlers = session.options.handlers();
    }

    /** Serves until the file system is unmounted. */
    @Override
    public void run() {
        try {
            int result;
            do {
                result = serveOne();
            } while (result >= 0);
            if (result != -Errno.ENODEV && result != -Errno.ECONNABORTED && result != -Errno.EBADF) {
                LOG.log(Level.ERROR, "cannot read requests from " + FdDevice.PATH + " (" + Errno.message(-result)
                        + "); this thread ends, and with the last one the mount");
            }
        } finally {
            giveBack();
            atEnd.run();
        }
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
        if (handlers == null || ControlOperations.isImmediate(exchange.opcode())) {
            next = session.dispatch(exchange) ? exchange : null;
        } else {
            next = null;
            handOn(exchange, handlers);
        }
        return 1;
    }

    private void handOn(Exchange exchange, Executor executor) {
        try {
            executor.execute(() -> handle(exchange));
        } catch (RejectedExecutionException e) {
            exchange.begin(null);
            exchange.answerError(Errno.EIO);
            exchange.handlerReturned();
            session.pool.give(exchange);
        }
    }

    /** Gives the exchange back that waits for the next request. */
    void giveBack() {
        if (next != null) {
            session.pool.give(next);
            next = null;
        }
    }

    private Exchange taken() {
        Exchange exchange = next == null ? session.pool.take() : next;
        next = exchange;
        return exchange;
    }

    private void handle(Exchange exchange) {
        if (session.dispatch(exchange)) {
            session.pool.give(exchange);
        }
    }
}
