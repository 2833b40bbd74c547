package io.chagres.cli.command;

import picocli.CommandLine.Option;

/** {@code --json}, for programs that read the output. */
public final class JsonOption {
    /** Whether it was given. */
    @Option(names = "--json", description = "Print JSON, one object per line.")
    public boolean json;
}
