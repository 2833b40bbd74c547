package io.chagres.archive.find;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Finds bytes that every match of a regular expression holds, so that only lines with them need be looked at closely.
 * It takes an expression that it does not understand for anything: it may find too little, never too much. Stateless.
 */
final class RequiredLiteral {
    private final String regex;
    private final StringBuilder run = new StringBuilder();
    private String longest = "";
    private int at;

    private RequiredLiteral(String regex) {
        this.regex = regex;
    }

    /** Returns the longest bytes found, in UTF-8; null when none are known. */
    static byte @Nullable [] of(String regex) {
        RequiredLiteral search = new RequiredLiteral(regex);
        return search.walk() && !search.longest.isEmpty() ? search.longest.getBytes(StandardCharsets.UTF_8) : null;
    }

    /** Says whether every match begins with the bytes that are found. */
    static boolean leads(String regex) {
        byte[] literal = of(regex);
        String text = literal == null ? "" : new String(literal, StandardCharsets.UTF_8);
        if (text.isEmpty() || !regex.startsWith(text)) {
            return false;
        }
        return regex.length() == text.length() || "?*{".indexOf(regex.charAt(text.length())) < 0;
    }

    /** Goes over what is outside of groups; returns false when the expression says more than this class knows. */
    private boolean walk() {
        while (at < regex.length()) {
            char c = regex.charAt(at++);
            switch (c) {
                case '|', ')' -> {
                    return false;
                }
                case '(' -> {
                    end();
                    if (!skipGroup()) {
                        return false;
                    }
                }
                case '[' -> {
                    end();
                    if (!skipClass()) {
                        return false;
                    }
                }
                case '\\' -> {
                    if (!escape()) {
                        return false;
                    }
                }
                case '?', '*', '{' -> optional(c);
                case '.', '^', '$', '+' -> end();
                default -> literal(c);
            }
        }
        end();
        return true;
    }

    private void literal(char c) {
        run.append(c);
    }

    /** The expression before {@code ?}, {@code *} and an opening brace may be there or not. */
    private void optional(char quantifier) {
        if (!run.isEmpty()) {
            int last = run.length() - 1;
            boolean pair = Character.isLowSurrogate(run.charAt(last)) && last > 0;
            run.setLength(pair ? last - 1 : last);
        }
        end();
        if (quantifier == '{') {
            int close = regex.indexOf('}', at);
            at = close < 0 ? regex.length() : close + 1;
        }
    }

    private void end() {
        if (run.length() > longest.length()) {
            longest = run.toString();
        }
        run.setLength(0);
    }

    /** Takes what follows a backslash: a sign for itself, or a class or boundary of one letter. */
    private boolean escape() {
        if (at == regex.length()) {
            return false;
        }
        char c = regex.charAt(at++);
        if (c >= 128 || !Character.isLetterOrDigit(c)) {
            literal(c);
            return true;
        }
        end();
        return "dDwWsSbBAzZhHvVRX".indexOf(c) >= 0;
    }

    /** Goes behind a group; one that changes what the rest means is not understood. */
    private boolean skipGroup() {
        boolean plain = !regex.startsWith("?", at)
                || regex.startsWith("?:", at)
                || regex.startsWith("?<", at)
                || regex.startsWith("?=", at)
                || regex.startsWith("?!", at);
        if (!plain) {
            return false;
        }
        for (int depth = 1; depth > 0; ) {
            if (at >= regex.length()) {
                return false;
            }
            char c = regex.charAt(at++);
            switch (c) {
                case '(' -> depth++;
                case ')' -> depth--;
                case '[' -> {
                    if (!skipClass()) {
                        return false;
                    }
                }
                case '\\' -> {
                    if (at == regex.length() || "QE".indexOf(regex.charAt(at)) >= 0) {
                        return false;
                    }
                    at++;
                }
                default -> {}
            }
        }
        return true;
    }

    /** Goes behind a class; classes within classes are not understood. */
    private boolean skipClass() {
        boolean first = true;
        if (regex.startsWith("^", at)) {
            at++;
        }
        for (; at < regex.length(); first = false) {
            char c = regex.charAt(at++);
            if (c == ']' && !first) {
                return true;
            }
            if (c == '[' || c == ']' || c == '&') {
                return false;
            }
            if (c == '\\') {
                if (at == regex.length() || "QE".indexOf(regex.charAt(at)) >= 0) {
                    return false;
                }
                at++;
            }
        }
        return false;
    }
}
