package io.chagres.archive.find;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Classes of characters as grep(1) and ripgrep write them, {@code [[:alpha:]]}. The JDK takes that for a set of a colon
 * and some letters: it would find something else and say nothing.
 */
final class PosixClasses {
    private static final Pattern NAMED = Pattern.compile(
            "\\[:(\\^?)(alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):]");

    private PosixClasses() {}

    /** Returns an expression of the JDK with its own names of the classes within brackets. */
    static String translate(String pattern) {
        StringBuilder translated = new StringBuilder();
        Matcher named = NAMED.matcher(pattern);
        int brackets = 0;
        for (int at = 0; at < pattern.length(); at++) {
            char c = pattern.charAt(at);
            if (c == '\\') {
                int end = escapeEnd(pattern, at);
                translated.append(pattern, at, end);
                at = end - 1;
            } else if (brackets > 0 && named.region(at, pattern.length()).lookingAt()) {
                translated.append(named.group(1).isEmpty() ? "\\p{" : "\\P{");
                translated.append(nameOf(named.group(2))).append('}');
                at = named.end() - 1;
            } else {
                brackets = c == '[' ? brackets + 1 : c == ']' ? Math.max(0, brackets - 1) : brackets;
                translated.append(c);
            }
        }
        return translated.toString();
    }

    private static int escapeEnd(String pattern, int at) {
        int quoted = pattern.startsWith("\\Q", at) ? pattern.indexOf("\\E", at + 2) : at;
        return quoted < 0 ? pattern.length() : Math.min(pattern.length(), quoted + 2);
    }

    private static String nameOf(String posix) {
        return switch (posix) {
            case "ascii" -> "ASCII";
            case "word" -> "IsWord";
            case "xdigit" -> "XDigit";
            default -> posix.substring(0, 1).toUpperCase(Locale.ROOT) + posix.substring(1);
        };
    }
}
