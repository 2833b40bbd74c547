package io.chagres.cli;

import java.io.IOException;

/** Ends a command with an exit code and a sentence that names the subject, the cause and what to do. */
final class CommandFailure extends IOException {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    /**
     * Creates a failure.
     *
     * @param exitCode one of {@link ExitCode}
     * @param message what the user reads, without a trailing newline
     */
    CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Returns the exit code of the program. */
    int exitCode() {
        return exitCode;
    }
}
