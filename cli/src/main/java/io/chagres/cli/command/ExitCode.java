package io.chagres.cli.command;

/** The exit codes of every command. */
public final class ExitCode {
    /** Everything was done, and what was shipped is acknowledged. */
    public static final int DONE = 0;
    /** The command failed; a sentence on standard error says why. */
    public static final int FAILED = 1;
    /** The command line was not understood. */
    public static final int USAGE = 2;
    /** The shipper stopped while bytes were at risk; their number is printed. */
    public static final int AT_RISK = 3;
    /** Another writer took over the host's log. */
    public static final int FENCED = 4;

    /** The store did not give something that it holds, so nothing is known of it: throttled, or archived. */
    public static final int UNANSWERED = 5;

    /** Objects in an archive tier were asked for, and are on their way: run the same command again. */
    public static final int AWAITED = 6;

    /** A signal ended the work early; what was done stays. */
    public static final int INTERRUPTED = 130;

    /** The reader of standard output went away, as where SIGPIPE ends a program; what was done stays. */
    public static final int CLOSED_PIPE = 141;

    private ExitCode() {}
}
