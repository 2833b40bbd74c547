package io.chagres.cli.ship;

import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The program that a shipper accompanies, from before it is started until its exit code is ours; without a command
 * there is none, and nothing happens. Safe for any thread.
 */
final class ChildProgram {
    private final List<String> command;
    private final Duration patience;
    private final ShipReport report;
    private final Runnable onExit;
    private @Nullable ShippedProgram child;
    private boolean terminated;

    /**
     * Prepares it.
     *
     * @param patience how long at most what it left behind is waited for after its end
     * @param onExit runs then
     */
    ChildProgram(List<String> command, Duration patience, ShipReport report, Runnable onExit) {
        this.command = command;
        this.patience = patience;
        this.report = report;
        this.onExit = onExit;
    }

    /** Starts it unless it was started or told to end before. */
    synchronized void start() throws IOException {
        if (child == null && !terminated && !command.isEmpty()) {
            child = ShippedProgram.start(command, this::ended);
        }
    }

    /** The program's bytes count as its own, also those of child processes that it did not wait for. */
    private void ended() {
        ShippedProgram started = started();
        if (started != null) {
            say(started.awaitDescendants(patience));
        }
        onExit.run();
    }

    private void say(List<ProcessHandle> left) {
        if (!left.isEmpty()) {
            String who = left.stream()
                    .map(each -> each.info().command().orElse("?") + " (pid " + each.pid() + ")")
                    .collect(Collectors.joining(", "));
            report.message("the program has ended and left behind: " + who
                    + ". What they write after the drain is shipped by the next chagres ship");
        }
    }

    /** Lets go of processes that it left behind and that have ended. */
    void reap() {
        ShippedProgram started = started();
        if (started != null) {
            started.reap();
        }
    }

    /** Sends SIGTERM if it runs and waits for its end, but not longer than that. */
    void terminate(Duration ofEnd) {
        ShippedProgram started;
        synchronized (this) {
            terminated = true;
            started = child;
        }
        if (started != null && started.running()) {
            started.terminate(ofEnd);
        }
    }

    /** Shipping cannot continue, but that is no reason to end the program that it accompanies. */
    void outlive(IOException cause, ShipReport report) {
        ShippedProgram started = started();
        if (started != null && started.running()) {
            report.message("shipping stopped (" + cause.getMessage() + "); waiting for the program to end");
            started.await();
        }
    }

    /** Returns its exit code if it has ended with one that is not 0, or ours. */
    int exitCode(int ours) {
        ShippedProgram started = started();
        int code = started == null || started.running() ? ExitCode.DONE : started.await();
        return code == ExitCode.DONE ? ours : code;
    }

    private synchronized @Nullable ShippedProgram started() {
        return child;
    }
}
