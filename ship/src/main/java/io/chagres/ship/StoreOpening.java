package io.chagres.ship;

import io.chagres.archive.store.StoreException;
import io.chagres.ship.commit.Backoff;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Opens what a shipper needs, again and again while the store refuses: a machine may come up before its network or its
 * role does. Confined to one thread but for {@link #limit}, {@link #stop} and {@link #isStopped}.
 */
public final class StoreOpening {
    private final LongSupplier clockMs;
    private final long startMs;
    private final Listener listener;
    private final Backoff backoff = new Backoff(RandomGenerator.getDefault());
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile long untilMs = Long.MAX_VALUE;
    private boolean proven;
    private @Nullable String cause;
    private long refusedMs;
    private long errors;

    /** Opens something that a store may refuse. */
    @FunctionalInterface
    public interface Opening<T> {
        /** Tries once. */
        T open() throws IOException;
    }

    /** Hears how it goes, on the thread that opens. An exception from it ends the opening. */
    public interface Listener {
        /** Returns how often {@link #waits} is called at least, in milliseconds. */
        long intervalMs();

        /** Hears of each refusal; the cause is new if the last one had another. */
        void refused(String why, boolean isNew) throws IOException;

        /** Hears that the next try is not due yet, and how long it has taken since the start. */
        void waits(ShipStatus status, long elapsedMs) throws IOException;

        /** Hears that {@link #stop} was called during the wait. */
        void stops();

        /** Hears that the store accepts after a refusal. */
        void accepted();
    }

    /** Says that the store accepted nothing within the time that was left. */
    public static final class TimeoutException extends IOException {
        private static final long serialVersionUID = 1;

        private final transient ShipStatus status;

        TimeoutException(ShipStatus status) {
            super("stopped while the store refuses");
            this.status = status;
        }

        /** Returns why the store refused last. */
        public ShipStatus status() {
            return status;
        }
    }

    /** Prepares, with a monotonic clock in milliseconds, whose time now is the start. */
    public StoreOpening(LongSupplier clockMs, Listener listener) {
        this.clockMs = clockMs;
        this.listener = listener;
        startMs = clockMs.getAsLong();
    }

    /** Gives up this many milliseconds from now, if not earlier. */
    public synchronized void limit(long ms) {
        untilMs = Math.min(untilMs, clockMs.getAsLong() + ms);
    }

    /** Answers a signal: wakes the wait, and gives up this many milliseconds from now. The first call counts. */
    public synchronized void stop(long ms) {
        if (!isStopped()) {
            limit(ms);
            stopped.countDown();
        }
    }

    /** Says whether {@link #stop} was called. */
    public boolean isStopped() {
        return stopped.getCount() == 0;
    }

    /** Says that the store has worked: no address is mistyped, so that a refusal that lasts is waited for too. */
    public void proven() {
        proven = true;
    }

    /**
     * Opens until it succeeds, a store that never worked refuses for good, or the time is over.
     *
     * @throws TimeoutException when the time is over
     */
    public <T> T open(Opening<T> opening) throws IOException {
        while (true) {
            try {
                T opened = opening.open();
                if (cause != null) {
                    listener.accepted();
                    cause = null;
                }
                return opened;
            } catch (StoreException e) {
                if (e.isLasting() && !proven) {
                    throw e;
                }
                refused(String.valueOf(e.getMessage()));
                await(clockMs.getAsLong() + backoff.nextMs(e));
            }
        }
    }

    private void refused(String why) throws IOException {
        errors++;
        if (cause == null) {
            refusedMs = clockMs.getAsLong();
        }
        boolean isNew = !why.equals(cause);
        cause = why;
        listener.refused(why, isNew);
    }

    /** Waits for the next try and tells meanwhile why. */
    private void await(long retryMs) throws IOException {
        long now = clockMs.getAsLong();
        while (now < retryMs) {
            ShipStatus status =
                    ShipStatus.unopened("refuses since " + (now - refusedMs) / 1000 + " s: " + cause, errors);
            if (now >= untilMs) {
                throw new TimeoutException(status);
            }
            listener.waits(status, now - startMs);
            pause(Math.min(Math.min(retryMs, untilMs) - now, listener.intervalMs()));
            now = clockMs.getAsLong();
        }
    }

    private void pause(long ms) throws IOException {
        try {
            CountDownLatch until = isStopped() ? new CountDownLatch(1) : stopped;
            if (until.await(ms, TimeUnit.MILLISECONDS)) {
                listener.stops();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
