package io.chagres.cli;

import io.chagres.cli.text.ShellWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Writes completions for shells: what picocli makes for bash, and those that it has none for. */
final class Completion {
    /** A line that names the values of an option. */
    private static final Pattern VALUES = Pattern.compile("(?m)^( *local \\w+_args=)(.*)$");

    private Completion() {}

    /** Returns the completion of bash, with values as help shows them. */
    static String bash(CommandLine root) {
        return VALUES.matcher(AutoComplete.bash("chagres", root))
                .replaceAll(values -> Matcher.quoteReplacement(
                        values.group(1) + values.group(2).toLowerCase(Locale.ROOT)));
    }

    /** Returns the completion of fish. */
    static String fish(CommandSpec root) {
        StringBuilder script = new StringBuilder("# Completion of chagres for fish.\n");
        for (OptionSpec option : HelpModel.options(root)) {
            script.append(fishOption("__fish_use_subcommand", option));
        }
        for (CommandSpec command : HelpModel.commands(root)) {
            script.append("complete -c chagres -f -n __fish_use_subcommand -a %s -d %s\n"
                    .formatted(command.name(), ShellWord.quoted(header(command))));
            for (OptionSpec option : HelpModel.options(command)) {
                script.append(fishOption("__fish_seen_subcommand_from " + command.name(), option));
            }
        }
        return script.toString();
    }

    private static String fishOption(String condition, OptionSpec option) {
        StringBuilder line = new StringBuilder("complete -c chagres -n ").append(ShellWord.quoted(condition));
        for (String name : option.names()) {
            line.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        if (option.arity().max() > 0) {
            List<String> values = values(option);
            line.append(values.isEmpty() ? " -r" : " -x -a " + ShellWord.quoted(String.join(" ", values)));
        }
        return line.append(" -d ")
                .append(ShellWord.quoted(HelpModel.description(option)))
                .append('\n')
                .toString();
    }

    /** Returns the completion of zsh. */
    static String zsh(CommandSpec root) {
        StringBuilder script = new StringBuilder("#compdef chagres\n# Completion of chagres for zsh.\n");
        StringBuilder cases = new StringBuilder();
        StringBuilder names = new StringBuilder();
        for (CommandSpec command : HelpModel.commands(root)) {
            names.append("        ")
                    .append(ShellWord.quoted(command.name() + ":" + header(command)))
                    .append('\n');
            cases.append("        ").append(command.name()).append(")\n            _arguments -s");
            HelpModel.options(command).forEach(option -> cases.append(zshOption(option)));
            cases.append(" \\\n                '*:file:_files'\n            ;;\n");
        }
        script.append("_chagres() {\n    local context state line\n    local -a commands\n    commands=(\n")
                .append(names)
                .append("    )\n    _arguments -C");
        HelpModel.options(root).forEach(option -> script.append(zshOption(option)));
        script.append(" \\\n                '1:command:->command' \\\n                '*::argument:->argument'\n")
                .append("    case $state in\n    command) _describe command commands ;;\n")
                .append("    argument)\n        case $line[1] in\n")
                .append(cases)
                .append("        esac\n        ;;\n    esac\n}\n\n_chagres \"$@\"\n");
        return script.toString();
    }

    private static String zshOption(OptionSpec option) {
        StringBuilder specs = new StringBuilder();
        for (String name : option.names()) {
            boolean valued = option.arity().max() > 0;
            List<String> values = values(option);
            String spec = (option.isMultiValue() ? "*" : "") + name + (valued && name.startsWith("--") ? "=" : "")
                    + "["
                    + HelpModel.description(option)
                            .replace("[", "\\[")
                            .replace("]", "\\]")
                            .replace(":", "\\:") + "]"
                    + (valued ? ":value:" + (values.isEmpty() ? "_files" : "(" + String.join(" ", values) + ")") : "");
            specs.append(" \\\n                ").append(ShellWord.quoted(spec));
        }
        return specs.toString();
    }

    private static List<String> values(OptionSpec option) {
        List<String> values = new ArrayList<>();
        if (option.completionCandidates() != null) {
            option.completionCandidates().forEach(value -> values.add(value.toLowerCase(Locale.ROOT)));
        }
        return values;
    }

    private static String header(CommandSpec command) {
        return String.format(String.join(" ", command.usageMessage().header()));
    }
}
