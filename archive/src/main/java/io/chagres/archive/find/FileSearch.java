package io.chagres.archive.find;

import io.chagres.foreign.MemoryScan;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches files line by line, one after the other, each as a whole: lines go over frames and objects. Holds a
 * mebibyte, or the longest line. Confined to one thread.
 */
public final class FileSearch implements AutoCloseable {
    private static final long NEWLINES = 0x0a0a0a0a0a0a0a0aL;
    private static final long HIGH = 0x8080808080808080L;
    private static final int BLOCK_BYTES = 1 << 20;

    /**
     * A longer line, in bytes, is passed over: each is in memory several times. Lines before a match are shown as far
     * as they are not further away.
     */
    public static final int MAX_LINE_BYTES = 16 << 20;

    /** Of a longer match over lines nobody knows; that is said, see {@link #takeCut}. */
    public static final int MAX_MATCH_BYTES = SpanFinder.MAX_BYTES;

    /** The wanted parts of a file.
     *
     * @param maxCount how many lines, at least 1
     * @param before lines shown before each
     * @param after lines shown behind each
     * @param numbers whether lines are counted
     * @param text whether files with zero bytes are shown like others
     */
    public record Options(long maxCount, int before, int after, boolean numbers, boolean text) {
        /** All lines that are found. */
        public static final Options ALL = new Options(Long.MAX_VALUE, 0, 0, false, false);
    }

    /** The bytes of a file. */
    @FunctionalInterface
    public interface Source {
        /** Reads on; returns how many bytes, 0 at the end. */
        int read(MemorySegment target) throws IOException;
    }

    private final Options options;
    private final LineFinder finder;
    /** Finds what goes over lines; null where nothing may. */
    private final @Nullable SpanFinder overLines;

    private final boolean inverted;
    /** Offsets in the block of what was found in the lines that are shown, begins and ends in turn. */
    private final List<Long> found = new ArrayList<>();

    private long cutAt = -1;
    private Arena arena = Arena.ofConfined();
    private MemorySegment block;
    private long filled;
    /** Where the first line begins that was not searched yet. */
    private long scan;
    /** Behind the last line that was shown. */
    private long shown;
    /** Position of the block's first byte in the file. */
    private long base;

    private boolean ended;
    private boolean any;
    private long matches;
    private int afterLeft;
    private long counted;
    private long newlines;
    /** Position of the first zero byte in the file, -1 while none is known. */
    private long zero;

    private long zeroSearched;
    private boolean stopped;
    private @Nullable IOException failed;

    /** Whether the line that is read is passed over, and how much of it was. */
    private boolean isPassing;

    private long passed;
    private long searched;
    private long tooLong;

    /** Makes a search. */
    public FileSearch(LinePattern pattern, Options options) {
        this.options = options;
        finder = new LineFinder(pattern);
        overLines = pattern.overLines() ? new SpanFinder(pattern) : null;
        inverted = pattern.inverted();
        block = arena.allocate(overLines == null ? BLOCK_BYTES : 4L * SpanFinder.MAX_BYTES, 64);
    }

    /**
     * Searches a file, or what of it a source gives.
     *
     * @param position of the source's first byte in the file
     * @return how many lines were found
     */
    public long search(Source source, long position, LineSink sink) throws IOException {
        matches = 0;
        any = false;
        newlines = 0;
        zero = -1;
        stopped = false;
        filled = 0;
        return resume(source, position, sink);
    }

    /**
     * Searches another part of the same file, that neither begins nor ends within a line that would be found.
     *
     * @return how many lines were found in all of them
     */
    public long resume(Source source, long position, LineSink sink) throws IOException {
        begin(position);
        while (!ended && !stopped) {
            fill(source);
            if (isPassing) {
                pass();
            }
            long whole = ended ? filled : wholeLines();
            if (overLines == null) {
                searchLines(whole, sink);
            } else {
                searchSpans(overLines, whole, sink);
            }
            if (whole == 0 && filled == block.byteSize()) {
                grow();
            }
        }
        if (failed != null && !stopped) {
            throw failed;
        }
        return matches;
    }

    /** Says whether nothing more of the file is wanted. */
    public boolean isStopped() {
        return stopped;
    }

    /** Counts lines that are passed over before the part that is searched next. */
    public void skipLines(long lines) {
        newlines += lines;
    }

    private void begin(long position) {
        zero(filled); // of the part before
        count(filled);
        filled = 0;
        scan = 0;
        shown = 0;
        base = position;
        ended = false;
        afterLeft = 0;
        counted = 0;
        zeroSearched = 0;
        failed = null;
        isPassing = false;
    }

    /** Keeps what is not searched and the lines that may be shown before the next, and fills the rest of the block. */
    private void fill(Source source) throws IOException {
        long keep = Math.max(shown, linesBefore(scan, options.before()));
        keep = overLines == null ? keep : Math.min(keep, Math.max(0, scan - SpanFinder.LOOK_BEHIND_BYTES));
        if (keep > 0) {
            count(keep);
            zero(keep);
            MemorySegment.copy(block, keep, block, 0, filled - keep);
            filled -= keep;
            scan -= keep;
            shown -= keep;
            base += keep;
            counted = 0;
            zeroSearched = Math.max(0, zeroSearched - keep);
        }
        while (filled < block.byteSize()) {
            int got = 0;
            try {
                got = source.read(block.asSlice(filled));
            } catch (IOException e) { // what came before it is searched first
                failed = e;
            }
            if (got <= 0) {
                ended = true;
                return;
            }
            filled += got;
            searched += got;
        }
    }

    private long wholeLines() {
        // what begins on the lines that follow may be longer than what is there
        long to = filled - (overLines == null ? 0 : SpanFinder.MAX_BYTES);
        long last = to <= scan ? -1 : MemoryScan.lastIndexOf(block, (byte) '\n', scan, to - scan);
        return last < 0 ? 0 : scan + last + 1;
    }

    /** Makes room for a line that does not fit. */
    private void grow() {
        if (block.byteSize() >= MAX_LINE_BYTES) {
            if (scan > 0) {
                shown = scan; // lines before it are let go
            } else {
                isPassing = true;
                passed = 0;
                pass();
            }
            return;
        }
        Arena larger = Arena.ofConfined();
        MemorySegment wider = larger.allocate(block.byteSize() * 2, 64);
        MemorySegment.copy(block, 0, wider, 0, filled);
        arena.close();
        arena = larger;
        block = wider;
    }

    /** Passes over what is there of a line that is too long. */
    private void pass() {
        long newline = MemoryScan.indexOf(block, (byte) '\n', scan, filled - scan);
        isPassing = newline < 0 && !ended;
        passed += newline < 0 ? filled - scan : newline;
        scan = newline < 0 ? filled : scan + newline + 1;
        shown = scan;
        if (!isPassing) {
            tooLong = Math.max(tooLong, passed);
            afterLeft = Math.max(0, afterLeft - 1);
        }
    }

    private void searchLines(long to, LineSink sink) throws IOException {
        finder.reset();
        while (scan < to && !stopped) {
            boolean found = matches < options.maxCount() && finder.find(block, scan, to);
            if (afterLeft > 0) {
                after(found ? finder.start() : to, sink);
            }
            if (!found) {
                scan = to;
                stopped = matches >= options.maxCount() && afterLeft == 0;
                return;
            }
            long end = Math.min(finder.end() + 1, to);
            if (!options.text() && zero(end)) {
                matches++;
                stopped = true;
                sink.binary(zero);
                return;
            }
            matches++;
            if (sink.takesLines()) {
                before(finder.start(), sink);
                show(finder.start(), end, true, sink);
                afterLeft = options.after();
            }
            shown = end;
            scan = end;
        }
    }

    /** Searches lines for what may go over them. */
    private void searchSpans(SpanFinder spans, long to, LineSink sink) throws IOException {
        spans.begin(block, scan, filled, ended);
        boolean isFound = scan < to && spans.find(to);
        while (scan < to && !stopped) {
            long start = isFound ? lineStart(spans.start()) : to;
            found.clear();
            if (inverted) {
                showLines(spans.isCut() ? lineStart(spans.place()) : start, sink);
            }
            if (spans.isCut()) {
                break;
            }
            if (!isFound || matches >= options.maxCount()) {
                after(to, sink);
                scan = Math.max(scan, to);
                stopped = matches >= options.maxCount() && afterLeft == 0;
                return;
            }
            long end = start;
            while (isFound && (end == start || spans.start() < end)) {
                found.add(spans.start());
                found.add(spans.end());
                end = Math.max(end, lineEnd(Math.max(spans.start(), spans.end() - 1), filled));
                matches += inverted ? 0 : 1;
                isFound = matches < options.maxCount() && spans.find(to);
            }
            if (inverted) {
                scan = end;
                shown = end;
            } else {
                showLines(start, end, sink);
            }
        }
        if (spans.isCut()) {
            cutAt = base + spans.place();
            stopped = true;
        }
    }

    /** Shows the lines up to an offset because they are wanted; none of them matches. */
    private void showLines(long to, LineSink sink) throws IOException {
        while (scan < to && matches < options.maxCount() && !stopped) {
            matches++;
            showLines(scan, lineEnd(scan, to), sink);
        }
        scan = to;
    }

    private void showLines(long start, long end, LineSink sink) throws IOException {
        after(start, sink);
        if (!options.text() && zero(end)) {
            stopped = true;
            sink.binary(zero);
            return;
        }
        before(start, sink);
        for (long at = start; at < end; ) {
            long next = lineEnd(at, end);
            show(at, next, true, sink);
            at = next;
        }
        afterLeft = options.after();
        scan = end;
    }

    private long lineStart(long offset) {
        return offset == 0 ? 0 : MemoryScan.lastIndexOf(block, (byte) '\n', 0, offset) + 1;
    }

    /** Shows the lines that follow one that was found. */
    private void after(long to, LineSink sink) throws IOException {
        while (afterLeft > 0 && shown < to) {
            long end = lineEnd(shown, to);
            show(shown, end, false, sink);
            afterLeft--;
        }
    }

    private void before(long start, LineSink sink) throws IOException {
        long from = Math.max(shown, linesBefore(start, options.before()));
        if (any && from > shown && options.before() + options.after() > 0) {
            sink.gap();
        }
        while (from < start) {
            long end = lineEnd(from, start);
            show(from, end, false, sink);
            from = end;
        }
    }

    private void show(long start, long end, boolean isMatch, LineSink sink) throws IOException {
        shown = end;
        any = true;
        if (!sink.takesLines()) {
            return;
        }
        boolean newline = end > start && block.get(ValueLayout.JAVA_BYTE, end - 1) == '\n';
        byte[] bytes = new byte[(int) (end - start - (newline ? 1 : 0))];
        MemorySegment.copy(block, ValueLayout.JAVA_BYTE, start, bytes, 0, bytes.length);
        long number = options.numbers() ? count(start) + 1 : 0;
        sink.line(new LineSink.Line(bytes, base + start, number, isMatch, newline));
    }

    private long lineEnd(long start, long to) {
        long length = MemoryScan.indexOf(block, (byte) '\n', start, to - start);
        return length < 0 ? to : start + length + 1;
    }

    /** Returns where the last lines before one begin. */
    private long linesBefore(long start, int lines) {
        long at = start;
        for (int i = 0; i < lines && at > 0; i++) {
            at = MemoryScan.lastIndexOf(block, (byte) '\n', 0, at - 1) + 1;
        }
        return at;
    }

    /** Returns how many newlines there are before an offset. */
    private long count(long to) {
        if (options.numbers()) {
            for (; counted + Long.BYTES <= to; counted += Long.BYTES) {
                long differs = block.get(ValueLayout.JAVA_LONG_UNALIGNED, counted) ^ NEWLINES;
                // the high bit of each byte that is not zero: a sum never carries into the next byte
                long high = ((differs & ~HIGH) + ~HIGH | differs) & HIGH;
                newlines += Long.BYTES - Long.bitCount(high);
            }
            for (; counted < to; counted++) {
                newlines += block.get(ValueLayout.JAVA_BYTE, counted) == '\n' ? 1 : 0;
            }
        }
        return newlines;
    }

    /** Says whether there is a zero byte before an offset. What is there is looked at once, not line by line. */
    private boolean zero(long to) {
        if (!options.text() && zero == -1 && zeroSearched < filled) {
            long found = MemoryScan.indexOfZero(block, zeroSearched, filled - zeroSearched);
            zero = found < 0 ? -1 : base + zeroSearched + found;
            zeroSearched = filled;
        }
        return zero != -1 && zero < base + to;
    }

    /**
     * Returns the length in bytes of the longest line that was passed over since the last call; 0 if none was. Such a
     * line is longer than {@link #MAX_LINE_BYTES}, or too long for an expression that nests.
     */
    public long takeTooLong() {
        long longest = Math.max(tooLong, finder.takeTooLong());
        tooLong = 0;
        return longest;
    }

    /** Returns how many bytes were searched since the last call. */
    public long takeSearched() {
        long bytes = searched;
        searched = 0;
        return bytes;
    }

    /** Returns how many lines were found in the file so far, also where its search failed. */
    public long matches() {
        return matches;
    }

    /**
     * Returns the position of the file from which on nobody knows what matches: a match there may be longer than {@link
     * #MAX_MATCH_BYTES} or nest too deeply. -1 when all is known. Asked once for each file.
     */
    public long takeCut() {
        long position = cutAt;
        cutAt = -1;
        return position;
    }

    /** Tells what of a line that is shown matches, from left to right; over lines nothing that is empty. */
    public void spans(LineSink.Line line, LineSpans taker) {
        if (overLines == null) {
            finder.spans(line.bytes(), taker);
            return;
        }
        long start = line.position() - base;
        for (int i = 0; i < found.size(); i += 2) {
            int from = Math.clamp(found.get(i) - start, 0, line.bytes().length);
            int to = Math.clamp(found.get(i + 1) - start, 0, line.bytes().length);
            if (from < to) {
                taker.span(from, to);
            }
        }
    }

    /** Returns the finder that says which part of a line was found. */
    public LineFinder finder() {
        return finder;
    }

    @Override
    public void close() {
        finder.close();
        arena.close();
    }
}
