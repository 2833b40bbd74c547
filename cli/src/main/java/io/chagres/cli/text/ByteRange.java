package io.chagres.cli.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A range of positions of a file, as {@code --bytes} takes it. Immutable.
 *
 * @param start first byte, or with a negative value that many bytes before the end of the file
 * @param end first byte that is no longer in the range; {@link Long#MAX_VALUE} for the end of the file
 */
public record ByteRange(long start, long end) {
    /** Everything. */
    public static final ByteRange ALL = new ByteRange(0, Long.MAX_VALUE);

    private static final Pattern FORM = Pattern.compile("([^-]*)-([^-]*)");

    /**
     * Parses {@code A-B} (from A up to, not including, B), {@code A-} (from A to the end) or {@code -N} (the last N
     * bytes); A, B and N may carry units ({@code 1MiB}).
     *
     * @throws IllegalArgumentException naming the accepted forms
     */
    public static ByteRange parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches() || text.equals("-")) {
            throw new IllegalArgumentException("'" + text
                    + "' is not a byte range; write A-B (from A up to, not including, B), A- or -N (the last N)");
        }
        if (form.group(1).isEmpty()) {
            long last = ByteSize.parse(form.group(2)).bytes();
            return last == 0 ? new ByteRange(0, 0) : new ByteRange(-last, Long.MAX_VALUE);
        }
        long start = ByteSize.parse(form.group(1)).bytes();
        long end = form.group(2).isEmpty()
                ? Long.MAX_VALUE
                : ByteSize.parse(form.group(2)).bytes();
        if (end < start) {
            throw new IllegalArgumentException("'" + text + "' ends before it starts");
        }
        return new ByteRange(start, end);
    }

    /** Returns the first position to read in a file of that length, 0 to {@code length}. */
    public long startIn(long length) {
        return start < 0 ? Math.max(0, length + start) : Math.min(start, length);
    }

    /** Returns the position after the last byte to read in a file of that length. */
    public long endIn(long length) {
        return Math.min(end, length);
    }
}
