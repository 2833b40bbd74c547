package io.chagres.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program {@code chagres}. */
@Command(
        name = "chagres",
        mixinStandardHelpOptions = true,
        version = "chagres 0.1.0",
        description = "Gets files off a machine before it dies, each byte once, and gives them back as files.")
public final class Main {
    private Main() {}

    /** Runs the program and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }
}
