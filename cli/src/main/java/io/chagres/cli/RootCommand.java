package io.chagres.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code chagres} without a command: its help. */
@Command(
        name = "chagres",
        header = "Gets your files off a machine before it dies, each byte once, and gives them back as files.",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Version.class,
        footer = {
            "",
            "Example:",
            "  chagres ship /var/log/app --to /mnt/archive &",
            "  chagres ls /mnt/archive",
            "",
            "Exit codes: 0 done and everything acknowledged; 1 failed; 2 usage; 3 stopped with bytes at risk;"
                    + " 4 fenced by another writer; 5 the store did not answer (verify, repair);"
                    + " 6 what is archived was asked for (restore);"
                    + " 141 the reader of standard output went away."
                    + " 'chagres help COMMAND' tells more."
        })
final class RootCommand implements Runnable {
    @Spec
    CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help and exit.")
    boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the version and exit.")
    boolean version;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
