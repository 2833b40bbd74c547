package io.chagres.cli.ship;

import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The program that a shipper accompanies, from before it is started until its exit code is ours; without a command
 * there is none, and nothing happens. Safe for any thread.
 */
final class Program {
    private final List<String> command;
    private final Runnable onExit;
    private @Nullable ChildProcess child;
    private boolean terminated;

    Program(List<String> command, Runnable onExit) {
        this.command = command;
        this.onExit = onExit;
    }

    /** Starts it unless it was started or told to end before. */
    synchronized void start() throws IOException {
        if (child == null && !terminated && !command.isEmpty()) {
            child = ChildProcess.start(command, onExit);
        }
    }

    /** Sends SIGTERM if it runs and waits for its end, but not longer than that. */
    void terminate(Duration patience) {
        ChildProcess started;
        synchronized (this) {
            terminated = true;
            started = child;
        }
        if (started != null && started.running()) {
            started.terminate(patience);
        }
    }

    /** Shipping cannot go on, but that is no reason to end the program it accompanies. */
    void outlive(IOException cause, ShipReport report) {
        ChildProcess started = started();
        if (started != null && started.running()) {
            report.message("shipping stopped (" + cause.getMessage() + "); waiting for the program to end");
            started.await();
        }
    }

    /** Returns its exit code if it has ended with one that is not 0, or ours. */
    int exitCode(int ours) {
        ChildProcess started = started();
        int code = started == null || started.running() ? ExitCode.DONE : started.await();
        return code == ExitCode.DONE ? ours : code;
    }

    private synchronized @Nullable ChildProcess started() {
        return child;
    }
}
