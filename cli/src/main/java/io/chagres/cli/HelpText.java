package io.chagres.cli;

import io.chagres.cli.text.Wrapping;
import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The help of a command: as wide as the terminal, its options below headings, and broken between words alone, so that
 * an address stays whole.
 */
final class HelpText extends Help {
    private static final int DEFAULT_WIDTH = 100;
    private static final int MIN_WIDTH = 55;
    private static final int MAX_WIDTH = 120;

    /** More than any synopsis has. */
    private static final int UNBROKEN = 4000;

    /** Where the long names of options begin. */
    private static final int LONG_NAMES = 6;

    private static final int GAP = 2;

    /** Lines of the footer that begin with two blanks are examples; their next lines are indented by two more. */
    private static final int MORE_INDENT = 2;

    HelpText(CommandSpec command, ColorScheme colors) {
        super(command, colors);
    }

    /**
     * Returns how wide texts are, in columns.
     *
     * @param columns of the terminal; 0 for none
     */
    static int width(int columns) {
        return columns == 0 ? DEFAULT_WIDTH : Math.clamp(columns, MIN_WIDTH, MAX_WIDTH);
    }

    @Override
    public String header(Object... params) {
        return wrapped(usage().header());
    }

    @Override
    public String customSynopsis(Object... params) {
        return wrapped(usage().customSynopsis());
    }

    /** Returns how the command is called, behind a heading of this length. */
    @Override
    public String synopsis(int headingLength) {
        if (usage().customSynopsis().length > 0) {
            return customSynopsis();
        }
        int width = usage().width();
        usage().width(UNBROKEN);
        String line = super.synopsis(headingLength).strip();
        usage().width(width);
        int more = commandSpec().qualifiedName().length() + 1;
        return String.join("\n" + " ".repeat(headingLength), Wrapping.lines(line, width - headingLength, more)) + "\n";
    }

    @Override
    public String description(Object... params) {
        return wrapped(usage().description());
    }

    @Override
    public String footer(Object... params) {
        return wrapped(usage().footer());
    }

    @Override
    public String parameterList() {
        StringBuilder list = new StringBuilder();
        for (PositionalParamSpec each : commandSpec().positionalParameters()) {
            if (!each.hidden()) {
                Text[][] names = createDefaultParameterRenderer().render(each, parameterLabelRenderer(), colorScheme());
                add(list, names[0], each);
            }
        }
        return list.toString();
    }

    @Override
    public String optionList() {
        StringBuilder list = new StringBuilder();
        for (OptionGroups.Group group : OptionGroups.of(commandSpec())) {
            if (!group.heading().isEmpty()) {
                list.append('\n').append(group.heading()).append(":\n");
            }
            for (OptionSpec each : group.options()) {
                add(list, createDefaultOptionRenderer().render(each, parameterLabelRenderer(), colorScheme())[0], each);
            }
        }
        return list.toString();
    }

    /** Adds the names of an argument and, beside them or below, what it is for. */
    private void add(StringBuilder list, Text[] names, ArgSpec argument) {
        String before =
                length(names[1]) == 0 ? " ".repeat(LONG_NAMES) : "  " + names[1] + (names[2] + "  ").substring(0, 2);
        int end = LONG_NAMES + length(names[3]);
        int column = LONG_NAMES + GAP + longestName();
        List<String> lines = Wrapping.lines(HelpModel.description(argument), usage().width() - column, 0);
        list.append(before).append(names[3]);
        if (end + GAP > column) {
            list.append('\n');
            end = 0;
        }
        for (String line : lines) {
            list.append(" ".repeat(column - end)).append(line).append('\n');
            end = 0;
        }
    }

    /** Returns the length of the longest name that has its description beside it. */
    private int longestName() {
        int added = 3; // by picocli
        return calcLongOptionColumnWidth(commandSpec().options(), commandSpec().positionalParameters(), colorScheme())
                - added;
    }

    private String wrapped(String... lines) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            int indent = line.startsWith("  ") ? MORE_INDENT : 0;
            Wrapping.lines(String.format(line), usage().width(), indent)
                    .forEach(each -> text.append(each).append('\n'));
        }
        return text.toString();
    }

    private UsageMessageSpec usage() {
        return commandSpec().usageMessage();
    }

    private static int length(Text text) {
        return text.plainString().length();
    }
}
