package io.chagres.cli.command;

import picocli.CommandLine.Option;

/**
 * {@code --json}, for programs that read the output, and {@code --quiet}, for those who only want to hear of what is
 * wrong: a cron job mails what is printed.
 */
public final class OutputOptions {
    /** How the option for problems alone is spelled. */
    public static final String QUIET = "--quiet";

    /** Its description. */
    public static final String QUIET_MEANS = "Print only problems.";

    /** The description of the option for programs. */
    public static final String JSON_MEANS = "Print JSON, one object per line.";

    /** Whether it was given. */
    @Option(names = QUIET, description = QUIET_MEANS)
    public boolean quiet;

    /** Whether it was given. */
    @Option(names = "--json", description = JSON_MEANS)
    public boolean json;
}
