package io.chagres.archive.find;

import io.chagres.archive.find.BoundedText.TooManyLooksException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds matches over several lines in a block of a file. From the begin of each line that it is asked for, the block
 * holds at least {@link #MAX_BYTES}, or the rest of the file. Where the expression asks for more than the block has,
 * nobody knows whether it would match: {@code SpanFinder} says so. Confined to one thread.
 */
final class SpanFinder {
    /** A longer match is not found for certain. */
    static final int MAX_BYTES = 1 << 20;

    /** How many bytes before a line a lookbehind may see. */
    static final int LOOK_BEHIND_BYTES = 4096;

    /** A match begins on the line on which the search does. */
    private static final String ON_THE_LINE = "[^\\n]*?";

    /** One of these begins each match; empty where that is not known. */
    private final List<String> begins;

    /** For ASCII, and for all other text. */
    private final Matcher[] fromHere = new Matcher[2];

    private final Matcher[] onTheLine = new Matcher[2];
    private byte[] bytes = {};
    private String text = "";
    private BoundedText bounded = new BoundedText(text);
    private int kind;
    private boolean isEnd;
    /** Where the search continues: a character, and its offset in the block. */
    private int at;

    private int place;
    private long start;
    private long end;
    private boolean isCut;

    SpanFinder(LinePattern pattern) {
        begins = !pattern.isLedByLiterals()
                ? List.of()
                : pattern.literals().stream()
                        .map(each -> new String(each, StandardCharsets.UTF_8))
                        .toList();
        for (int i = 0; i < 2; i++) {
            Pattern of = pattern.expression(i == 0);
            fromHere[i] = of.matcher("");
            onTheLine[i] = Pattern.compile(ON_THE_LINE + "(?:" + of.pattern() + ")", of.flags())
                    .matcher("");
        }
    }

    /**
     * Takes a block.
     *
     * @param from where the first line begins that is searched; what lies before may be looked at
     * @param ends whether the file ends where the block does
     */
    void begin(MemorySegment block, long from, long filled, boolean ends) {
        int length = (int) filled;
        if (bytes.length < length) {
            bytes = new byte[length];
        }
        MemorySegment.copy(block, ValueLayout.JAVA_BYTE, 0, bytes, 0, length);
        kind = LineText.isAscii(bytes, length) ? 0 : 1;
        text = LineText.of(bytes, length);
        bounded = new BoundedText(text);
        isEnd = ends;
        isCut = false;
        at = kind == 0
                ? (int) from
                : LineText.of(Arrays.copyOf(bytes, (int) from), (int) from).length();
        place = (int) from;
        for (Matcher each : List.of(fromHere[kind], onTheLine[kind])) {
            each.reset(bounded).useAnchoringBounds(false).useTransparentBounds(true);
        }
    }

    private void goTo(int character) {
        place += kind == 0 ? character - at : LineText.bytes(text, at, character);
        at = character;
    }

    /**
     * Finds the next match that begins on a line that begins before an offset; {@link #start} and {@link #end} say
     * where.
     *
     * @return whether there is one; not known if {@link #isCut}
     */
    boolean find(long to) {
        while (place < to && at < text.length() && !isCut) {
            if (begins.isEmpty()) {
                int newline = text.indexOf('\n', at);
                if (attempt(onTheLine[kind])) {
                    return true;
                }
                goTo(newline < 0 ? text.length() : newline + 1);
            } else {
                int next = nextBegin();
                goTo(next < 0 ? text.length() : next);
                if (next < 0 || place >= to) {
                    return false;
                }
                if (attempt(fromHere[kind])) {
                    return true;
                }
                step();
            }
        }
        return false;
    }

    private void step() {
        if (at < text.length()) {
            goTo(at + (Character.isHighSurrogate(text.charAt(at)) ? 2 : 1));
        }
    }

    private int nextBegin() {
        int first = -1;
        for (String each : begins) {
            int found = text.indexOf(each, at);
            first = found >= 0 && (first < 0 || found < first) ? found : first;
        }
        return first;
    }

    /** Tries a match here; if there is one the search continues behind it. */
    private boolean attempt(Matcher matcher) {
        bounded.begin();
        try {
            boolean found = matcher.region(at, text.length()).lookingAt();
            isCut = matcher.hitEnd() && !isEnd;
            if (!found || isCut) {
                return false;
            }
            int behind = matcher.end();
            Matcher exact = fromHere[kind];
            int begin = at;
            if (matcher != exact) { // the first place from which it matches
                exact.region(at, text.length()).find();
                begin = exact.start();
                behind = exact.end();
            }
            goTo(begin);
            start = place;
            goTo(behind);
            end = place;
            if (behind == begin) {
                step(); // what is empty is not found twice
            }
            return true;
        } catch (StackOverflowError | TooManyLooksException e) { // the JDK says that it nests too deeply
            isCut = true;
            return false;
        }
    }

    /** Says whether nobody knows what matches from {@link #place} on: it is too long, or the search for it is. */
    boolean isCut() {
        return isCut;
    }

    /** Returns the offset in the block at which the search continues. */
    long place() {
        return place;
    }

    /** Returns the offset in the block of what was found. */
    long start() {
        return start;
    }

    /** Returns the offset behind it. */
    long end() {
        return end;
    }
}
