package io.chagres.cli.command;

import java.io.IOException;

/** Ends a command with an exit code and a sentence that names the subject, the cause and what to do. */
public final class CommandFailure extends IOException {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    /**
     * Creates a failure.
     *
     * @param exitCode one of {@link ExitCode}
     * @param message what the user reads, without a trailing newline
     */
    public CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Returns the exit code of the program. */
    public int exitCode() {
        return exitCode;
    }
}
