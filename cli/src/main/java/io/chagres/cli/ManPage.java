package io.chagres.cli;

import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes a manual page, for man(7). Confined to one thread. */
final class ManPage {
    private final StringBuilder page = new StringBuilder();

    /** Begins a page. */
    ManPage(String name, int chapter) {
        String version = io.chagres.ship.BuildVersion.text();
        page.append(".TH \"%s\" %d \"\" \"chagres %s\" \"Chagres\"\n"
                .formatted(name.toUpperCase(Locale.ROOT), chapter, version));
        page.append(".nh\n.ad l\n");
    }

    /** Returns the page of a command. */
    static String of(CommandSpec command) {
        ManPage page = new ManPage(command.qualifiedName("-"), 1);
        page.write(command);
        return page.toString();
    }

    /** Returns the page as far as it was written. */
    @Override
    public String toString() {
        return page.toString();
    }

    private void write(CommandSpec command) {
        String name = command.qualifiedName("-");
        section("NAME");
        text(name + " - " + join(command.usageMessage().header()));
        section("SYNOPSIS");
        String[] custom = command.usageMessage().customSynopsis();
        for (String line : custom.length > 0 ? custom : new String[] {synopsis(command)}) {
            text(line);
            page.append(".br\n");
        }
        if (command.usageMessage().description().length > 0) {
            section("DESCRIPTION");
            text(join(command.usageMessage().description()));
        }
        arguments(command);
        commands(command);
        footer(command);
    }

    private static String synopsis(CommandSpec command) {
        return command.commandLine().getHelp().synopsis(0).strip().replaceAll("\\s+", " ");
    }

    private void arguments(CommandSpec command) {
        List<PositionalParamSpec> parameters = command.positionalParameters();
        List<OptionGroups.Group> groups = OptionGroups.of(command);
        if (!parameters.isEmpty()) {
            section("ARGUMENTS");
            parameters.stream()
                    .filter(parameter -> !parameter.hidden())
                    .forEach(parameter -> entry(parameter.paramLabel(), HelpModel.description(parameter)));
        }
        if (!HelpModel.options(command).isEmpty()) {
            section("OPTIONS");
            groups.forEach(this::group);
        }
    }

    private void group(OptionGroups.Group group) {
        if (!group.heading().isEmpty()) {
            subsection(group.heading());
        }
        for (OptionSpec option : group.options()) {
            String value = option.arity().max() > 0 ? " " + option.paramLabel() : "";
            entry(String.join(", ", option.names()) + value, HelpModel.description(option));
        }
    }

    private void commands(CommandSpec command) {
        List<CommandSpec> commands = HelpModel.commands(command);
        if (!commands.isEmpty()) {
            section("COMMANDS");
            for (CommandSpec below : commands) {
                entry(below.name(), join(below.usageMessage().header()) + " See " + below.qualifiedName("-") + "(1).");
            }
        }
    }

    /** The footer has headings that end with a colon, examples that are indented, and sentences. */
    private void footer(CommandSpec command) {
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

    /** Begins a section. */
    void section(String title) {
        page.append(".SH ").append(title).append('\n');
    }

    /** Begins a part of a section. */
    void subsection(String title) {
        page.append(".SS ").append(title).append('\n');
    }

    /** Adds lines as they stand there. */
    void literal(String lines) {
        page.append(".nf\n");
        lines.lines().forEach(this::text);
        page.append(".fi\n");
    }

    /** Adds a term and what it means. */
    void entry(String term, String description) {
        page.append(".TP\n.B \"").append(escaped(term)).append("\"\n");
        text(description);
    }

    /** Adds text. */
    void text(String text) {
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

    /** Returns the lines of a help as one. */
    static String join(String... lines) {
        return String.format(String.join(" ", lines));
    }
}
