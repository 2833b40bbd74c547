package io.chagres.archive.find;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text that is shown in place of a match, as ripgrep takes it. {@code $1} and {@code ${name}} are what a group
 * matched, nothing if there is no such group; {@code $$} is a dollar sign. A name is as long as it can be, so write
 * {@code ${1}a}. Immutable.
 */
public final class Replacement {
    private static final Pattern REFERENCE = Pattern.compile("\\$(?:(\\$)|(\\w+)|\\{([^}]+)})");

    /** Its parts: a text, or the name or number of a group. */
    private record Part(String text, boolean isGroup) {}

    private final List<Part> parts = new ArrayList<>();

    /** Takes the text. */
    public Replacement(String text) {
        Matcher reference = REFERENCE.matcher(text);
        int at = 0;
        while (reference.find()) {
            parts.add(new Part(text.substring(at, reference.start()), false));
            String name = reference.group(2) == null ? reference.group(3) : reference.group(2);
            parts.add(name == null ? new Part("$", false) : new Part(name, true));
            at = reference.end();
        }
        parts.add(new Part(text.substring(at), false));
    }

    /** Returns what stands for a match, in a text whose characters may stand for bytes that are none. */
    String of(MatchResult match) {
        StringBuilder text = new StringBuilder();
        for (Part part : parts) {
            text.append(part.isGroup ? group(match, part.text) : part.text);
        }
        return text.toString();
    }

    private static String group(MatchResult match, String name) {
        int number = number(match.namedGroups(), name);
        String found = number < 0 || number > match.groupCount() ? null : match.group(number);
        return found == null ? "" : found;
    }

    private static int number(Map<String, Integer> names, String name) {
        try {
            return names.containsKey(name) ? names.get(name) : Integer.parseInt(name);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Returns the bytes of a text, in which a lone surrogate stands for a byte that is no UTF-8. */
    static byte[] bytes(String text) {
        boolean isText = text.chars().noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
        return isText ? text.getBytes(StandardCharsets.UTF_8) : LineText.bytes(text);
    }
}
