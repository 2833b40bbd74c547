package io.chagres.archive.find;

import io.chagres.archive.find.BoundedText.TooManyLooksException;
import io.chagres.foreign.MemoryScan;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * Finds the lines of a pattern in native memory: required bytes first, the expression only in lines that hold them.
 * Owns native memory until it is closed. Confined to one thread at a time.
 */
public final class LineFinder implements AutoCloseable {
    private static final long UNKNOWN = -1;

    private final LinePattern pattern;
    /** Instead of {@link #needles}, where they are many. */
    private final @Nullable LiteralSet set;

    private final Arena arena = Arena.ofShared();
    private final List<MemorySegment> needles = new ArrayList<>();
    /** Where each needle is found next. */
    private final long[] next;

    private final Matcher ascii;
    private final Matcher unicode;
    private byte[] line = new byte[4096];
    /** Where the last search began, and where it found something. */
    private MemorySegment searched = MemorySegment.NULL;

    private long begin;
    private long foundAt;
    private long start;
    private long end;
    /** Bytes of the longest line that the expression could not be tried on. */
    private long tooLong;

    /** Makes a finder of a pattern's lines. */
    public LineFinder(LinePattern pattern) {
        this.pattern = pattern;
        set = pattern.set();
        for (byte[] literal : set == null ? pattern.literals() : List.<byte[]>of()) {
            MemorySegment needle = arena.allocate(literal.length);
            MemorySegment.copy(literal, 0, needle, ValueLayout.JAVA_BYTE, 0, literal.length);
            needles.add(needle);
        }
        next = new long[needles.size()];
        ascii = pattern.expression(true).matcher("");
        unicode = pattern.expression(false).matcher("");
    }

    /** Forgets a block: another one is searched from now on, or more of it. */
    public void reset() {
        Arrays.fill(next, -1);
    }

    /**
     * Finds the next line; {@link #start} and {@link #end} say where. A line that is too long for an expression that
     * nests, or looks at it again and again, is passed over, see {@link #tooLong}.
     *
     * @param from where a line begins
     * @param to where the last one ends: behind its newline, or behind its last byte
     */
    public boolean find(MemorySegment block, long from, long to) {
        for (long at = from; at < to; at = end + 1) {
            start = at;
            foundAt = at;
            if (set != null || !needles.isEmpty()) {
                foundAt = set == null ? candidate(block, at, to) : set.find(block, at, to);
                if (foundAt < 0) {
                    return false;
                }
                searched = block;
                start = UNKNOWN;
                begin = at;
            }
            long length = MemoryScan.indexOf(block, (byte) '\n', foundAt, to - foundAt);
            end = length < 0 ? to : foundAt + length;
            if (pattern.isDecidedByLiterals() || isWanted(block)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the first place of a needle; -1 when there is none. */
    private long candidate(MemorySegment block, long from, long to) {
        long first = Long.MAX_VALUE;
        for (int i = 0; i < next.length; i++) {
            if (next[i] < from) {
                long found = MemoryScan.indexOf(block, needles.get(i), from, to - from);
                next[i] = found < 0 ? Long.MAX_VALUE : from + found;
            }
            first = Math.min(first, next[i]);
        }
        return first == Long.MAX_VALUE ? -1 : first;
    }

    /** Says whether the line is looked for; nothing that is found in it begins before some of its bytes. */
    private boolean isWanted(MemorySegment block) {
        long lineStart = start();
        int from = set == null && pattern.isLedByLiterals() ? (int) (foundAt - lineStart) : 0;
        int length = (int) (end - lineStart);
        if (line.length < length) {
            line = new byte[Math.max(length, line.length * 2)];
        }
        MemorySegment.copy(block, ValueLayout.JAVA_BYTE, lineStart, line, 0, length);
        try {
            boolean found = LineText.isAscii(line, length)
                    ? ascii.reset(new BoundedText(new String(line, 0, length, StandardCharsets.ISO_8859_1)))
                            .find(from)
                    : unicode.reset(new BoundedText(LineText.of(line, length))).find();
            return found != pattern.inverted();
        } catch (StackOverflowError | TooManyLooksException e) { // the JDK's way to say that it nests too deeply
            tooLong = Math.max(tooLong, length);
            return false;
        }
    }

    /** Returns the length in bytes of the longest line that was passed over since the last call, 0 if none was. */
    long takeTooLong() {
        long longest = tooLong;
        tooLong = 0;
        return longest;
    }

    /** Returns the offset of the line that was found, as long as its block holds it. */
    public long start() {
        if (start == UNKNOWN) { // who counts lines does not ask
            long newline = MemoryScan.lastIndexOf(searched, (byte) '\n', begin, foundAt - begin);
            start = newline < 0 ? begin : begin + newline + 1;
        }
        return start;
    }

    /** Returns the offset of its newline, or of the end. */
    public long end() {
        return end;
    }

    /** Tells what of a line matches, from left to right; what is empty and adjoins another is left out. */
    public void spans(byte[] bytes, LineSpans spans) {
        if (set != null && pattern.isDecidedByLiterals()) {
            set.spans(bytes, spans);
            return;
        }
        boolean isAscii = LineText.isAscii(bytes, bytes.length);
        String text = LineText.of(bytes, bytes.length);
        Matcher matcher = pattern.expression(isAscii).matcher(new BoundedText(text));
        int chars = 0;
        int place = 0;
        for (int last = -1; hasNext(matcher, text, last, bytes.length); last = chars) {
            int from = place + LineText.bytes(text, chars, matcher.start());
            int to = from + LineText.bytes(text, matcher.start(), matcher.end());
            spans.span(from, to);
            chars = matcher.end();
            place = to;
        }
    }

    /**
     * Returns a line in which something stands for each match.
     *
     * @param spans takes where that stands in what is returned, also where it is empty
     */
    public byte[] replaced(byte[] bytes, Replacement by, LineSpans spans) {
        boolean isAscii = LineText.isAscii(bytes, bytes.length);
        String text = LineText.of(bytes, bytes.length);
        Matcher matcher = pattern.expression(isAscii).matcher(new BoundedText(text));
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
        int chars = 0;
        for (int last = -1; hasNext(matcher, text, last, bytes.length); last = chars) {
            out.writeBytes(Replacement.bytes(text.substring(chars, matcher.start())));
            int from = out.size();
            out.writeBytes(Replacement.bytes(by.of(matcher)));
            spans.span(from, out.size());
            chars = matcher.end();
        }
        out.writeBytes(Replacement.bytes(text.substring(chars)));
        return out.toByteArray();
    }

    /** Finds the next match that is not empty beside another, nor within a character that is two for the JDK. */
    private boolean hasNext(Matcher matcher, String text, int last, int length) {
        try {
            boolean found = matcher.find();
            while (found && isNone(matcher, text, last)) {
                int next = matcher.start() + 1;
                found = next <= text.length() && matcher.find(next);
            }
            return found;
        } catch (StackOverflowError | TooManyLooksException e) { // behind what matches
            tooLong = Math.max(tooLong, length);
            return false;
        }
    }

    private static boolean isNone(Matcher matcher, String text, int last) {
        int at = matcher.start();
        return (at == last && matcher.end() == at)
                || (at > 0 && at < text.length() && Character.isSurrogatePair(text.charAt(at - 1), text.charAt(at)));
    }

    /** Gives the memory back; closing again does nothing. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
