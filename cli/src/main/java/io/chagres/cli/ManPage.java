package io.chagres.cli;

import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes the manual page of a command, for man(7). */
final class ManPage {
    private final StringBuilder page = new StringBuilder();
    private final CommandSpec command;

    private ManPage(CommandSpec command) {
        this.command = command;
    }

    /** Returns the page of a command. */
    static String of(CommandSpec command) {
        ManPage page = new ManPage(command);
        page.write();
        return page.page.toString();
    }

    private void write() {
        String name = command.qualifiedName("-");
        String version = io.chagres.ship.Version.text();
        page.append(".TH \"%s\" 1 \"\" \"chagres %s\" \"Chagres\"\n".formatted(name.toUpperCase(Locale.ROOT), version));
        page.append(".nh\n.ad l\n");
        section("NAME");
        text(name + " - " + join(command.usageMessage().header()));
        section("SYNOPSIS");
        String[] custom = command.usageMessage().customSynopsis();
        for (String line : custom.length > 0 ? custom : new String[] {synopsis()}) {
            text(line);
            page.append(".br\n");
        }
        if (command.usageMessage().description().length > 0) {
            section("DESCRIPTION");
            text(join(command.usageMessage().description()));
        }
        arguments();
        commands();
        footer();
    }

    private String synopsis() {
        return command.commandLine().getHelp().synopsis(0).strip().replaceAll("\\s+", " ");
    }

    private void arguments() {
        List<PositionalParamSpec> parameters = command.positionalParameters();
        List<OptionSpec> options = Pages.options(command);
        if (!parameters.isEmpty()) {
            section("ARGUMENTS");
            parameters.stream()
                    .filter(parameter -> !parameter.hidden())
                    .forEach(parameter -> entry(parameter.paramLabel(), Pages.description(parameter)));
        }
        if (!options.isEmpty()) {
            section("OPTIONS");
            for (OptionSpec option : options) {
                String value = option.arity().max() > 0 ? " " + option.paramLabel() : "";
                entry(String.join(", ", option.names()) + value, Pages.description(option));
            }
        }
    }

    private void commands() {
        List<CommandSpec> commands = Pages.commands(command);
        if (!commands.isEmpty()) {
            section("COMMANDS");
            for (CommandSpec below : commands) {
                entry(below.name(), join(below.usageMessage().header()) + " See " + below.qualifiedName("-") + "(1).");
            }
        }
    }

    /** The footer has headings that end with a colon, examples that are indented, and sentences. */
    private void footer() {
        for (String line : command.usageMessage().footer()) {
            if (line.startsWith("  ")) {
                page.append(".br\n");
                text(line.strip());
            } else if (line.endsWith(":")) {
                section(line.substring(0, line.length() - 1).toUpperCase(Locale.ROOT));
            } else if (!line.isBlank()) {
                page.append(".PP\n");
                text(line);
            }
        }
        if (command.parent() != null) {
            section("SEE ALSO");
            text(command.root().qualifiedName("-") + "(1)");
        }
    }

    private void section(String title) {
        page.append(".SH ").append(title).append('\n');
    }

    private void entry(String term, String description) {
        page.append(".TP\n.B \"").append(escaped(term)).append("\"\n");
        text(description);
    }

    private void text(String text) {
        String escaped = escaped(text);
        // A line that begins with a dot or a quote would be a request.
        page.append(escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" : "")
                .append(escaped)
                .append('\n');
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e")
                .replace("-", "\\-")
                .replace("'", "\\(aq")
                .replace("\"", "\\(dq")
                .replace("^", "\\(ha")
                .replace("~", "\\(ti");
    }

    private static String join(String... lines) {
        return String.format(String.join(" ", lines));
    }
}
