package io.chagres.cli.command;

import picocli.CommandLine.Option;

/** {@code --quiet}, for those who only want to hear of what is wrong: a cron job mails what is printed. */
public final class QuietOption {
    /** Whether it was given. */
    @Option(names = "--quiet", description = "Print only problems.")
    public boolean quiet;
}
