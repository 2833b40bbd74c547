package io.chagres.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The parts of a command that its help, its pages and its completions show. Stateless. */
final class HelpModel {
    private HelpModel() {}

    /** Returns the commands below one, without those that are hidden. */
    static List<CommandSpec> commands(CommandSpec root) {
        List<CommandSpec> commands = new ArrayList<>();
        for (CommandLine line : root.subcommands().values()) {
            if (!line.getCommandSpec().usageMessage().hidden()) {
                commands.add(line.getCommandSpec());
            }
        }
        return commands;
    }

    /** Returns the options of a command that its help shows. */
    static List<OptionSpec> options(CommandSpec command) {
        return command.options().stream().filter(option -> !option.hidden()).toList();
    }

    /** Returns a description as the help shows it, in one line. */
    static String description(ArgSpec argument) {
        String text = String.join(" ", argument.description());
        String value = argument.defaultValueString(true);
        return String.format(text.replace("${DEFAULT-VALUE}", value == null ? "none" : value.replace("%", "%%")));
    }
}
