package io.chagres.cli;

import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Turns what went wrong into a sentence on standard error and an exit code. */
final class FailureReport {
    /** Set to print where in the program an unexpected failure arose. */
    static final String DEBUG = "CHAGRES_DEBUG";

    private final PrintStream err;
    private final boolean traces;

    FailureReport(PrintStream err, Map<String, String> environment) {
        this.err = err;
        traces = "1".equals(environment.get(DEBUG));
    }

    /** Reports a command line that was not understood. */
    int usage(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        err.println(command.getCommandSpec().qualifiedName() + ": " + e.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(e, new PrintWriter(err, true));
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return ExitCode.USAGE;
    }

    /** Reports a failure of a command and returns the program's exit code. */
    int report(String command, Throwable failure) {
        if (failure instanceof Output.ClosedException) {
            return ExitCode.DONE;
        }
        if (traces) {
            trace(failure);
        }
        if (failure instanceof CommandFailure own) {
            err.println(command + ": " + own.getMessage());
            return own.exitCode();
        }
        err.println(command + ": " + sentence(failure));
        return ExitCode.FAILED;
    }

    private static String sentence(Throwable failure) {
        return switch (failure) {
            case ErrnoException e -> e.getMessage();
            case IOException e -> e.getMessage();
            case OutOfMemoryError e -> "out of memory (" + e.getMessage() + "); what was acknowledged is safe."
                    + " Give the JVM more memory or lower --memory.";
            default -> "unexpected failure: " + failure + origin(failure)
                    + ". What was acknowledged is safe. Please report this with the output of the same command under "
                    + DEBUG + "=1.";
        };
    }

    private static String origin(Throwable failure) {
        StackTraceElement[] trace = failure.getStackTrace();
        return trace.length == 0 ? "" : " at " + trace[0];
    }

    private void trace(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            err.println(t);
            for (StackTraceElement frame : t.getStackTrace()) {
                err.println("    at " + frame);
            }
        }
    }
}
