package io.chagres.cli;

import io.chagres.archive.store.Spelling;
import io.chagres.cli.command.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code chagres help}: the help of a command, or the list of them. */
@Command(
        name = "help",
        header = "Show the help of a command.",
        footer = {"", "Example:", "  chagres help ship"})
final class HelpCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "A command; without one, all of them.")
    @Nullable
    String command;

    @Override
    public Integer call() {
        CommandLine root = spec.root().commandLine();
        CommandLine subject = command == null ? root : root.getSubcommands().get(command);
        if (subject == null) {
            String meant = Spelling.nearest(
                            String.valueOf(command), root.getSubcommands().keySet())
                    .map(each -> "; did you mean '" + each + "'?")
                    .orElse("");
            throw new ParameterException(spec.commandLine(), "there is no command '" + command + "'" + meant);
        }
        subject.usage(root.getOut());
        return ExitCode.DONE;
    }
}
