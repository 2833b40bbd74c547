package io.chagres.cli.ship;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.HeapCare;
import io.chagres.cli.command.Termination;
import io.chagres.cli.text.Durations;
import io.chagres.ship.ShipListener;
import io.chagres.ship.ShipStatus;
import io.chagres.ship.StoreOpening;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Leads signals and the program to accompany past a store that is slow to open: neither waits for it. Confined to one
 * thread but for {@link #stop}.
 */
final class ShipStart implements StoreOpening.Listener, ShipListener {
    /** A store that has not answered by then does not keep the program waiting. */
    private static final long PROGRAM_WAITS_MS = 2_000;

    /** The extra time for a store that hangs; a store that refuses is asked until the time is over. */
    private static final long HANGS_MS = 500;

    private final HeapCare heap = new HeapCare();
    private final Termination termination;
    private final ShipReport report;
    private final Supervisor supervisor;
    private final ChildProgram program;
    private final LongSupplier clockMs;
    private final long drainMs;
    /** When more of the log came, by the clock. */
    private volatile long progressedMs = Long.MIN_VALUE / 2;

    private final StoreOpening opening;
    private volatile boolean over;
    private @Nullable Runnable session;
    private @Nullable Runnable flush;
    private boolean flushAsked;

    ShipStart(CommandContext context, ShipReport report, Supervisor supervisor, LongSupplier clockMs, long drainMs) {
        termination = context.termination();
        this.report = report;
        this.supervisor = supervisor;
        this.clockMs = clockMs;
        this.drainMs = drainMs;
        program = new ChildProgram(context.child(), Duration.ofMillis(drainMs), report, this::drain);
        opening = new StoreOpening(clockMs, this);
    }

    /** Returns the program to accompany. */
    ChildProgram program() {
        return program;
    }

    /**
     * Begins to count.
     *
     * @param once the store has the time of a drain to accept, and then the command ends
     */
    void begin(boolean once) {
        if (once) {
            opening.limit(drainMs);
            CompletableFuture.delayedExecutor(drainMs + HANGS_MS, TimeUnit.MILLISECONDS)
                    .execute(this::abandonUnlessOver);
        }
        CompletableFuture.delayedExecutor(PROGRAM_WAITS_MS, TimeUnit.MILLISECONDS)
                .execute(this::startProgramUnlessOver);
    }

    /** The opening has ended, one way or the other: nothing hangs any longer. */
    synchronized void over() {
        over = true;
    }

    /**
     * Opens what the store may refuse for a while.
     *
     * @throws CommandFailure with the exit code for bytes at risk, when the time is over
     */
    <T> T open(StoreOpening.Opening<T> what) throws IOException {
        try {
            return opening.open(what);
        } catch (StoreOpening.TimeoutException e) {
            supervisor.ended(e.status());
            report.ended(e.status(), false);
            throw new CommandFailure(program.exitCode(ExitCode.AT_RISK), String.valueOf(e.getMessage()));
        }
    }

    /** Hands signals over to a session; one that came before reaches it now. */
    synchronized void opened(Runnable drain, Runnable commitNow) {
        session = drain;
        flush = commitNow;
        opening.proven();
        over();
        if (opening.isStopped()) {
            drain.run();
        }
        if (flushAsked) {
            flushAsked = false;
            commitNow.run();
        }
    }

    /**
     * The session is over; another may follow.
     *
     * @param flushing whether somebody waits for it to commit everything: the next one does
     */
    synchronized void closes(boolean flushing) {
        session = null;
        flush = null;
        flushAsked |= flushing;
    }

    /** Asks the session, or the next one if there is none, to commit everything at once. Safe for any thread. */
    synchronized void flush() {
        if (flush == null) {
            flushAsked = true;
        } else {
            flush.run();
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
            opening.stop(drainMs);
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

    /** Ends the process, whatever its main thread waits for. */
    void abandon() {
        termination.abandon(program.exitCode(ExitCode.AT_RISK));
    }

    @Override
    public void problem(String message) {
        report.message(message);
    }

    @Override
    public void progressed(long versions) {
        progressedMs = clockMs.getAsLong();
        heap.step(progressedMs, versions);
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

    /** Returns for how long the opening is still waited for, though its time is over, since it came further. */
    long graceMs() {
        return opening.isStopped() ? 0 : progressedMs + drainMs - clockMs.getAsLong();
    }

    /** Gives up, unless the opening has ended or came further within the time to drain. */
    private void abandonUnlessOver() {
        long leftMs = graceMs();
        if (!over && leftMs > 0) {
            CompletableFuture.delayedExecutor(leftMs, TimeUnit.MILLISECONDS).execute(this::abandonUnlessOver);
        } else if (!over) {
            report.message("the store did not answer within " + Durations.format(drainMs)
                    + ". Nothing was shipped; all bytes are still in the local files, start chagres ship again.");
            abandon();
        }
    }

    @Override
    public long intervalMs() {
        return report.intervalMs();
    }

    @Override
    public void refused(String why, boolean isNew) throws IOException {
        if (isNew) {
            report.message("the store refuses: " + why + "; nothing is lost while the local files stay, trying again");
        }
        program.start();
    }

    @Override
    public void waits(ShipStatus status, long elapsedMs) throws IOException {
        report.status(status, elapsedMs);
        supervisor.waits(status);
    }

    @Override
    public void stops() {
        report.message("asked to stop; waiting for the store for " + Durations.format(drainMs));
    }

    @Override
    public void accepted() {
        report.message("the store accepts again");
    }
}
