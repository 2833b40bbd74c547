package io.chagres.cli.text;

import java.util.regex.Pattern;

/** Writes text as one word of a POSIX shell. */
public final class ShellWord {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_/.:@%+,=-]+");

    private ShellWord() {}

    /** Returns the text, in single quotes where a shell would read it as something else. */
    public static String of(String text) {
        return PLAIN.matcher(text).matches() ? text : quoted(text);
    }

    /** Returns the text in single quotes, as zsh and fish read them too. */
    public static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
