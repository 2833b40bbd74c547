package io.chagres.cli.ship;

import io.chagres.archive.store.StoreException;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.Termination;
import io.chagres.cli.text.Durations;
import io.chagres.ship.Backoff;
import io.chagres.ship.ShipStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Opens what a shipper needs, again and again while the store refuses: a machine may come up before its network or its
 * role does. The program to accompany does not wait for that. Confined to one thread but for {@link #stop}.
 */
final class ShipStart {
    /** A store that has not answered by then does not keep the program waiting. */
    private static final long PROGRAM_WAITS_MS = 2_000;

    /** What a store that hangs gets more than one that refuses, which is asked until the time is over. */
    private static final long HANGS_MS = 500;

    private final Termination termination;
    private final ShipReport report;
    private final Supervisor supervisor;
    private final Program program;
    private final LongSupplier clockMs;
    private final long drainMs;
    private final long startMs;
    private final Backoff backoff = new Backoff(RandomGenerator.getDefault());
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean over;
    private volatile long untilMs = Long.MAX_VALUE;
    private @Nullable Runnable session;
    private @Nullable String cause;
    private long refusedMs;
    private long errors;

    ShipStart(CommandContext context, ShipReport report, Supervisor supervisor, LongSupplier clockMs, long drainMs) {
        termination = context.termination();
        this.report = report;
        this.supervisor = supervisor;
        this.clockMs = clockMs;
        this.drainMs = drainMs;
        program = new Program(context.child(), Duration.ofMillis(drainMs), report, this::drain);
        startMs = clockMs.getAsLong();
    }

    /** Returns the program to accompany. */
    Program program() {
        return program;
    }

    /**
     * Begins to count.
     *
     * @param once the store has the time of a drain to accept, and then the command ends
     */
    void begin(boolean once) {
        if (once) {
            untilMs = startMs + drainMs;
            CompletableFuture.delayedExecutor(drainMs + HANGS_MS, TimeUnit.MILLISECONDS)
                    .execute(this::abandonUnlessOver);
        }
        CompletableFuture.delayedExecutor(PROGRAM_WAITS_MS, TimeUnit.MILLISECONDS)
                .execute(this::startProgramUnlessOver);
    }

    /** The opening has ended, one way or the other: nothing hangs any more. */
    synchronized void over() {
        over = true;
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
                program.start();
                await(clockMs.getAsLong() + backoff.nextMs());
            }
        }
    }

    /** Hands signals over to a session; one that came before reaches it now. */
    synchronized void opened(Runnable drain) {
        session = drain;
        over();
        if (stopped.getCount() == 0) {
            drain.run();
        }
    }

    /**
     * Answers a signal: ends the program, which may take half of the drain's time, then drains. Returns when that has
     * begun, or the store hangs no longer. Safe for any thread.
     */
    void stop() {
        supervisor.stops();
        program.terminate(Duration.ofMillis(drainMs).dividedBy(2));
        drain();
    }

    /** Ends the waiting within the time to drain, or the session. */
    private void drain() {
        Runnable running;
        synchronized (this) {
            if (stopped.getCount() > 0) {
                untilMs = Math.min(untilMs, clockMs.getAsLong() + drainMs);
                stopped.countDown();
            }
            running = session;
        }
        supervisor.stops();
        if (running == null) {
            CompletableFuture.delayedExecutor(drainMs + HANGS_MS, TimeUnit.MILLISECONDS)
                    .execute(this::abandonUnlessOver);
        } else {
            running.run();
        }
    }

    private synchronized void startProgramUnlessOver() {
        if (!over) {
            try {
                program.start();
            } catch (IOException e) {
                assert e instanceof CommandFailure; // thrown again, and then said, by the thread that opens
            }
        }
    }

    private void abandonUnlessOver() {
        if (!over) {
            report.message("the store did not answer within " + Durations.format(drainMs)
                    + ". Nothing was shipped; all bytes are still in the local files, start chagres ship again.");
            termination.abandon(program.exitCode(ExitCode.AT_RISK));
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
                supervisor.ended(status);
                report.ended(status);
                throw new CommandFailure(
                        program.exitCode(ExitCode.AT_RISK), "stopped before the store accepted anything");
            }
            report.status(status, now - startMs);
            supervisor.waits(status);
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
