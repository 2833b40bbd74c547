package io.chagres.cli.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts the values of variables of the environment into texts of a configuration: {@code ${NAME}}, {@code
 * ${NAME:-default}} where it is empty or not set, and {@code ${NAME-default}} where it is not set. Two dollar signs are
 * one. Immutable.
 */
final class Variables {
    private static final String NAME = "[A-Za-z_][A-Za-z0-9_]*";
    private static final Pattern REFERENCE =
            Pattern.compile("\\$(?:(\\$)|\\{(" + NAME + ")(?:(:?-)([^}]*))?}|(\\{|" + NAME + "))");
    private static final String HIDDEN = "***";

    private final Map<String, String> environment;

    /**
     * The result of a text.
     *
     * @param text as its option takes it
     * @param shown as it may be shown: what comes from a variable that is a secret by its name is hidden
     * @param isExpanded whether variables are in it
     * @param problem what is wrong, and then the texts mean nothing; null when nothing is
     * @param fix what to do then
     */
    record Expanded(
            String text,
            String shown,
            boolean isExpanded,
            @Nullable String problem,
            String fix) {}

    Variables(Map<String, String> environment) {
        this.environment = environment;
    }

    Expanded expand(String text) {
        if (text.equals("~") || text.startsWith("~/")) {
            return new Expanded(text, text, false, "'~' is not expanded", "write ${HOME}, or the path as it is");
        }
        StringBuilder value = new StringBuilder();
        StringBuilder shown = new StringBuilder();
        boolean isExpanded = false;
        int end = 0;
        Matcher reference = REFERENCE.matcher(text);
        while (reference.find()) {
            value.append(text, end, reference.start());
            shown.append(text, end, reference.start());
            end = reference.end();
            if (reference.group(1) != null) {
                value.append('$');
                shown.append('$');
                continue;
            }
            String name = reference.group(2);
            if (name == null) {
                return unclear(text, reference.group(5));
            }
            String found = value(name, reference.group(3), reference.group(4));
            if (found == null) {
                return new Expanded(
                        text,
                        text,
                        false,
                        "the variable " + name + " is not set",
                        "set it (EnvironmentFile= of the unit), or give a default: ${" + name + ":-...}");
            }
            isExpanded = true;
            value.append(found);
            shown.append(Secrets.isNamed(name) ? HIDDEN : found);
        }
        value.append(text, end, text.length());
        shown.append(text, end, text.length());
        return new Expanded(value.toString(), shown.toString(), isExpanded, null, "");
    }

    private static Expanded unclear(String text, String what) {
        return what.equals("{")
                ? new Expanded(
                        text,
                        text,
                        false,
                        "'${' begins no variable",
                        "write ${NAME} or ${NAME:-default}, or $${ for it")
                : new Expanded(
                        text, text, false, "'$" + what + "' is not expanded", "write ${" + what + "}, or $$ for one $");
    }

    private @Nullable String value(String name, @Nullable String operator, @Nullable String byDefault) {
        String set = environment.get(name);
        boolean counts = set != null && (operator == null || operator.equals("-") || !set.isEmpty());
        return counts ? set : byDefault;
    }

    /** Expands all of some texts. */
    List<Expanded> expand(List<String> texts) {
        List<Expanded> all = new ArrayList<>();
        texts.forEach(each -> all.add(expand(each)));
        return all;
    }
}
