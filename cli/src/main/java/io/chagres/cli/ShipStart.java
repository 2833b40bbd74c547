package io.chagres.cli;

import io.chagres.archive.store.StoreException;
import io.chagres.ship.Backoff;
import io.chagres.ship.ShipStatus;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Opens what a shipper needs, again and again while the store refuses: a machine may come up before its network or its
 * role does. Confined to one thread but for {@link #stop}.
 */
final class ShipStart {
    private final ShipReport report;
    private final LongSupplier clockMs;
    private final long drainMs;
    private final long startMs;
    private final Backoff backoff = new Backoff(RandomGenerator.getDefault());
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile long untilMs = Long.MAX_VALUE;
    private @Nullable Runnable session;
    private @Nullable String cause;
    private long refusedMs;
    private long errors;

    ShipStart(ShipReport report, LongSupplier clockMs, long drainMs) {
        this.report = report;
        this.clockMs = clockMs;
        this.drainMs = drainMs;
        startMs = clockMs.getAsLong();
    }

    /** Opens something that a store may refuse. */
    @FunctionalInterface
    interface Opening<T> {
        T open() throws IOException;
    }

    /**
     * Opens until it succeeds, the refusal cannot pass by itself, or the time to drain after a signal is over.
     *
     * @throws CommandFailure with the exit code for bytes at risk, when the time is over
     */
    <T> T open(Opening<T> opening) throws IOException {
        while (true) {
            try {
                T opened = opening.open();
                if (cause != null) {
                    report.message("the store accepts again");
                    cause = null;
                }
                return opened;
            } catch (StoreException e) {
                if (e.isLasting()) {
                    throw e;
                }
                refused(String.valueOf(e.getMessage()));
                await(clockMs.getAsLong() + backoff.nextMs());
            }
        }
    }

    /** Hands signals over to a session; one that came before reaches it now. */
    synchronized void opened(Runnable stop) {
        session = stop;
        if (stopped.getCount() == 0) {
            stop.run();
        }
    }

    /** Ends the waiting within the time to drain, or the session. Safe for any thread. */
    void stop() {
        Runnable running;
        synchronized (this) {
            untilMs = clockMs.getAsLong() + drainMs;
            stopped.countDown();
            running = session;
        }
        if (running != null) {
            running.run();
        }
    }

    private void refused(String said) {
        errors++;
        if (cause == null) {
            refusedMs = clockMs.getAsLong();
        }
        if (!said.equals(cause)) {
            report.message("the store refuses: " + said + "; nothing is lost while the local files stay, trying again");
        }
        cause = said;
    }

    /** Waits for the next try and shows meanwhile why. */
    private void await(long retryMs) throws IOException {
        long now = clockMs.getAsLong();
        while (now < retryMs) {
            ShipStatus status =
                    ShipStatus.unopened("refuses since " + (now - refusedMs) / 1000 + " s: " + cause, errors);
            if (now >= untilMs) {
                report.ended(status);
                throw new CommandFailure(ExitCode.AT_RISK, "stopped before the store accepted anything");
            }
            report.status(status, now - startMs);
            pause(Math.min(Math.min(retryMs, untilMs) - now, report.intervalMs()));
            now = clockMs.getAsLong();
        }
    }

    private void pause(long ms) throws IOException {
        try {
            boolean wasStopped = stopped.getCount() == 0;
            CountDownLatch until = wasStopped ? new CountDownLatch(1) : stopped;
            if (until.await(ms, TimeUnit.MILLISECONDS)) {
                report.message("asked to stop; waiting for the store for " + Durations.format(drainMs));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
