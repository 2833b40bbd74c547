package io.chagres.cli.ship;

import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.HeapCare;
import io.chagres.cli.text.ByteSize;
import io.chagres.ship.ShipStatus;
import io.chagres.ship.Shipper;
import java.io.IOException;
import java.util.function.LongSupplier;

/** Drives one shipper on the calling thread until it has drained, reporting as it goes. Confined to one thread. */
final class ShipSession {
    private final Shipper shipper;
    private final ShipReport report;
    private final Supervisor supervisor;
    private final Reload reload;
    private final Destination destination;
    private final LongSupplier clockMs;
    private final HeapCare heap = new HeapCare();
    private final long startMs;
    private final long intervalMs;
    private final long restMs;
    private long nextReportMs;
    private boolean tidied;
    private boolean scanned;

    ShipSession(
            Shipper shipper,
            ShipReport report,
            Supervisor supervisor,
            Reload reload,
            Destination destination,
            LongSupplier clockMs) {
        this.shipper = shipper;
        this.report = report;
        this.supervisor = supervisor;
        this.reload = reload;
        this.destination = destination;
        this.clockMs = clockMs;
        startMs = clockMs.getAsLong();
        heap.knows(shipper.positions());
        intervalMs = Math.min(report.intervalMs(), supervisor.intervalMs());
        restMs = Math.min(report.restIntervalMs(), supervisor.intervalMs());
        nextReportMs = startMs + intervalMs;
    }

    /**
     * Ships until a signal, the end of the program or of {@code --once}, and the drain after it.
     *
     * @param program started after the first step, if it does not run yet
     * @return the exit code
     */
    int run(ChildProgram program) throws IOException {
        step(0);
        program.start();
        while (!shipper.finished()) {
            long now = clockMs.getAsLong();
            step((int) Math.max(0, nextReportMs - now));
            program.reap();
        }
        ShipStatus last = shipper.status();
        supervisor.ended(last);
        boolean safe = shipper.drained() && last.riskBytes() == 0;
        report.ended(last, safe);
        return program.exitCode(safe ? ExitCode.DONE : ExitCode.AT_RISK);
    }

    private void step(int timeoutMs) throws IOException {
        reload.step(shipper);
        destination.check();
        int work = shipper.doWork(timeoutMs);
        ShipStatus status = shipper.status();
        long now = clockMs.getAsLong();
        if (heap.isFull()) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    "what is known of " + status.files() + " files fills the heap of "
                            + ByteSize.format(Runtime.getRuntime().maxMemory())
                            + ". What was acknowledged is safe, the next 'ship' continues from there; give more"
                            + " (--memory)");
        }
        if (!tidied && work == 0 && shipper.following() && status.owesNothing()) {
            heap.collect(now, status.files()); // the log it was loaded from was larger than what is kept of it
            tidied = true;
        } else {
            heap.step(now, status.files());
        }
        boolean rests = work == 0 && shipper.following() && status.owesNothing();
        if (!rests) {
            nextReportMs = Math.min(nextReportMs, now + intervalMs);
        }
        if (now >= nextReportMs - (rests ? restMs / 2 : 0)) { // awake anyway
            report.status(status, now - startMs);
            nextReportMs = now + (rests ? restMs : intervalMs);
            supervisor.works(status);
        } else if (!scanned && !status.scanning()) {
            supervisor.works(status); // ready now, not at the next report
        }
        scanned |= !status.scanning();
    }
}
