package io.chagres.cli.command;

import picocli.CommandLine.Option;

/** {@code --quiet}, for those who only want to hear of what is wrong: a cron job mails what is printed. */
public final class QuietOption {
    /** How it is spelled. */
    public static final String NAME = "--quiet";

    /** Whether it was given. */
    @Option(names = NAME, description = "Print only problems.")
    public boolean quiet;
}
