package io.chagres.cli.read;

import picocli.CommandLine.Option;

/** {@code --salvage}: what is left of a host whose log is damaged. */
public final class SalvageOption {
    @Option(
            names = "--salvage",
            description = "Where commits are damaged, give every byte that is still proven by its checksum, and name"
                    + " what is not. The exit code is 1 then.")
    boolean salvage;

    /** Makes the option; picocli fills its field. */
    public SalvageOption() {}
}
