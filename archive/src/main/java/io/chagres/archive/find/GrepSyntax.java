package io.chagres.archive.find;

import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What grep(1) and ripgrep write in another way than the JDK, which would refuse it, or find something else and say
 * nothing: classes such as {@code [[:alpha:]]}, the begin and end of a word {@code \\<} and {@code \\>}, named groups
 * {@code (?P<name>x)}, and characters {@code \\u{1F600}}. Stateless.
 */
final class GrepSyntax {
    /** Those of ASCII, as ripgrep has them; {@code \\p{Alpha}} are the letters of every language. */
    private static final Map<String, String> CLASSES = Map.ofEntries(
            Map.entry("alnum", "0-9A-Za-z"),
            Map.entry("alpha", "A-Za-z"),
            Map.entry("ascii", "\\x00-\\x7f"),
            Map.entry("blank", "\\t "),
            Map.entry("cntrl", "\\x00-\\x1f\\x7f"),
            Map.entry("digit", "0-9"),
            Map.entry("graph", "!-~"),
            Map.entry("lower", "a-z"),
            Map.entry("print", " -~"),
            Map.entry("punct", "!-/:-@\\[-`{-~"),
            Map.entry("space", "\\t\\n\\x0b\\f\\r "),
            Map.entry("upper", "A-Z"),
            Map.entry("word", "0-9A-Z_a-z"),
            Map.entry("xdigit", "0-9A-Fa-f"));

    private static final Pattern NAMED = Pattern.compile("\\[:(\\^?)(" + String.join("|", CLASSES.keySet()) + "):]");

    private GrepSyntax() {}

    /** Returns the expression as the JDK writes it. */
    static String translate(String pattern) {
        StringBuilder translated = new StringBuilder();
        Matcher named = NAMED.matcher(pattern);
        int brackets = 0;
        for (int at = 0; at < pattern.length(); at++) {
            char c = pattern.charAt(at);
            String own = brackets == 0 ? own(pattern, at) : "";
            if (!own.isEmpty()) {
                translated.append(own);
                at += own.equals("(?<") ? "(?P<".length() - 1 : 1;
            } else if (pattern.startsWith("\\u{", at)) {
                translated.append("\\x");
                at++;
            } else if (c == '\\') {
                int end = escapeEnd(pattern, at);
                translated.append(pattern, at, end);
                at = end - 1;
            } else if (brackets > 0 && named.region(at, pattern.length()).lookingAt()) {
                String set = Objects.requireNonNull(CLASSES.get(named.group(2)));
                translated.append(named.group(1).isEmpty() ? set : "[^" + set + "]");
                at = named.end() - 1;
            } else {
                brackets = c == '[' ? brackets + 1 : c == ']' ? Math.max(0, brackets - 1) : brackets;
                translated.append(c);
            }
        }
        return translated.toString();
    }

    /** Returns how the JDK writes what begins here; empty where that is no other way. */
    private static String own(String pattern, int at) {
        return pattern.startsWith("\\<", at)
                ? "\\b(?=\\w)"
                : pattern.startsWith("\\>", at) ? "\\b(?<=\\w)" : pattern.startsWith("(?P<", at) ? "(?<" : "";
    }

    private static int escapeEnd(String pattern, int at) {
        int quoted = pattern.startsWith("\\Q", at) ? pattern.indexOf("\\E", at + 2) : at;
        return quoted < 0 ? pattern.length() : Math.min(pattern.length(), quoted + 2);
    }
}
