package io.chagres.cli.text;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Breaks texts into lines between words, and never within one, however long. Stateless, safe for any thread. */
public final class Wrapping {
    private Wrapping() {}

    private static final Pattern COLOR = Pattern.compile("\u001b\\[[0-9;]*m");

    /**
     * Returns the lines of a text; one empty line when it is empty.
     *
     * @param text its lines begin with its own blanks, if it has some
     * @param width of a line, in characters without those that only change the colour, at least 1
     * @param more how many blanks the second line and those behind it have besides
     */
    public static List<String> lines(String text, int width, int more) {
        String words = text.stripLeading();
        String indent = text.substring(0, text.length() - words.length());
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(indent);
        boolean isEmpty = true;
        for (String word : words.split(" ", -1)) {
            if (!isEmpty && shown(line) + 1 + shown(word) > width) {
                lines.add(line.toString());
                line = new StringBuilder(indent).append(" ".repeat(more));
                isEmpty = true;
            }
            line.append(isEmpty ? "" : " ").append(word);
            isEmpty &= word.isEmpty();
        }
        lines.add(line.toString());
        return lines;
    }

    private static int shown(CharSequence text) {
        return COLOR.matcher(text).replaceAll("").length();
    }
}
