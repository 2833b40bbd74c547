package io.chagres.cli;

import picocli.CommandLine.Option;

/** {@code --json}, for programs that read the output. */
final class JsonOption {
    @Option(names = "--json", description = "Print JSON, one object per line.")
    boolean json;
}
