package io.chagres.archive.age;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads files of keys: one a line; empty ones and those that begin with {@code #} mean nothing. Stateless. */
public final class KeyLines {
    private KeyLines() {}

    /**
     * Takes the lines of a file.
     *
     * @param file its name, for messages
     * @param parser takes a line without the blanks around it; a refusal is reported with the number of the line
     * @param otherwise said of a file that holds none
     */
    public static <T> List<T> read(String file, List<String> lines, Function<String, T> parser, String otherwise)
            throws IOException {
        List<T> found = new ArrayList<>();
        int number = 0;
        for (String line : lines) {
            number++;
            if (!line.isBlank() && !line.startsWith("#")) {
                try {
                    found.add(parser.apply(line.strip()));
                } catch (IllegalArgumentException e) {
                    throw new IOException(file + ", line " + number + ": " + e.getMessage(), e);
                }
            }
        }
        if (found.isEmpty()) {
            throw new IOException(file + ": " + otherwise);
        }
        return found;
    }
}
