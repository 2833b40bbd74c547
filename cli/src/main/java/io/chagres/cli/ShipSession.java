package io.chagres.cli;

import io.chagres.ship.ShipStatus;
import io.chagres.ship.Shipper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Drives one shipper on the calling thread until it has drained, reporting as it goes. Confined to one thread. */
final class ShipSession {
    private final Shipper shipper;
    private final ShipReport report;
    private final LongSupplier clockMs;
    private final long startMs;
    private long nextReportMs;
    private boolean tidied;
    private volatile @Nullable ChildProcess child;

    ShipSession(Shipper shipper, ShipReport report, LongSupplier clockMs) {
        this.shipper = shipper;
        this.report = report;
        this.clockMs = clockMs;
        startMs = clockMs.getAsLong();
        nextReportMs = startMs + report.intervalMs();
    }

    /**
     * Ships until a signal, the end of the child or of {@code --once}, and the drain after it.
     *
     * @param command the program to run, empty for none
     * @return the exit code
     */
    int run(List<String> command) throws IOException {
        step(0);
        if (!command.isEmpty()) {
            child = ChildProcess.start(command, shipper::requestDrain);
        }
        try {
            while (!shipper.finished()) {
                long now = clockMs.getAsLong();
                step((int) Math.clamp(nextReportMs - now, 0, report.intervalMs()));
            }
        } catch (IOException e) {
            outliveBy(e);
            throw e;
        }
        ShipStatus last = shipper.status();
        report.ended(last);
        ChildProcess started = child;
        int childCode = started == null || started.running() ? ExitCode.DONE : started.await();
        return childCode == ExitCode.DONE && last.riskBytes() != 0 ? ExitCode.AT_RISK : childCode;
    }

    /**
     * Ends the session from a signal: first the child, which may take half of the drain's time, then a drain. Safe for
     * any thread.
     */
    void stop(Duration drain) {
        ChildProcess started = child;
        if (started != null && started.running()) {
            started.terminate(drain.dividedBy(2));
        }
        shipper.requestDrain();
    }

    private void step(int timeoutMs) throws IOException {
        shipper.doWork(timeoutMs);
        if (!tidied && !shipper.status().scanning() && shipper.status().riskBytes() == 0) {
            // the log it was loaded from was larger than what is kept of it, and the steady path collects nothing
            System.gc();
            tidied = true;
        }
        long now = clockMs.getAsLong();
        if (now >= nextReportMs) {
            report.status(shipper.status(), now - startMs);
            nextReportMs = now + report.intervalMs();
        }
    }

    /** Shipping cannot go on, but that is no reason to end the program it accompanies. */
    private void outliveBy(IOException cause) {
        ChildProcess started = child;
        if (started != null && started.running()) {
            report.message("shipping stopped (" + cause.getMessage() + "); waiting for the program to end");
            started.await();
        }
    }
}
