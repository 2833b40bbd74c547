package io.chagres.cli.command;

import picocli.CommandLine.Option;

/** Whether a reading command shows files that are gone under the names they had last. */
public final class GoneOption {
    /** Whether only names that live are shown. */
    @Option(names = "--hide-gone", description = "Leave out files that are gone: directories look as they looked.")
    public boolean hidden;
}
