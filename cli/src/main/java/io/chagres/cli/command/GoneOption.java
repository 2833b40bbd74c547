package io.chagres.cli.command;

import picocli.CommandLine.Option;

/** Whether a reading command says nothing of files that are gone. */
public final class GoneOption {
    /** Whether only names that stand are shown. */
    @Option(names = "--hide-gone", description = "Show and say nothing of files that are gone.")
    public boolean hidden;
}
