package io.chagres.archive.find;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Gives of a file the lines that were written between two times, by the times in them, as runs of lines that follow
 * each other. A line without a time belongs to the one before it, as those of a stack trace do; before the first line
 * with a time, to none. How times are written is found out from the lines: most have one form, and lines of other
 * programs among them may have another. Holds a block of 64 KiB, however long lines are. Confined to one thread.
 */
public final class TimedLines {
    private static final int BLOCK_BYTES = 64 * 1024;

    private final LineClock clock;
    private final byte[] block = new byte[BLOCK_BYTES];
    private FileSearch.Source source = target -> 0;
    /** Position of the block's first byte. */
    private long base;

    private int at;
    private int filled;
    private boolean ended;
    private boolean isAtStart;
    private boolean isWithin;
    private long skipped;
    private @Nullable LineTimeFormat format;
    private boolean isWanted;
    private boolean anyTime;
    private boolean anyLine;
    private @Nullable IOException failed;
    /** Up to here no line shows how times are written. */
    private long guessedTo;

    /** Makes it for one file; nothing was given yet. */
    public TimedLines(LineClock clock) {
        this.clock = clock;
        format = clock.format();
    }

    /**
     * Continues with what a source gives, behind what was given before.
     *
     * @param position of its first byte
     */
    public void over(FileSearch.Source next, long position) {
        source = next;
        base = position;
        guessedTo = position;
        at = 0;
        filled = 0;
        ended = false;
        isAtStart = true;
        isWithin = false;
        skipped = 0;
    }

    /**
     * Passes over lines up to the next one that is wanted; returns false when there is none.
     *
     * @throws IOException if the source failed, once all that it gave before was given
     */
    public boolean next() throws IOException {
        isWithin = false;
        while (true) {
            if (isAtStart) {
                if (!fillHead()) {
                    return end();
                }
                if (isWanted()) {
                    isWithin = true;
                    return true;
                }
                isAtStart = false;
            }
            at = lineEnd();
            if (at > 0 && block[at - 1] == '\n') {
                isAtStart = true;
                skipped++;
            } else if (!fill()) {
                return end();
            }
        }
    }

    private boolean end() throws IOException {
        if (failed != null) {
            throw failed;
        }
        return false;
    }

    /** Returns the position of the byte that {@link #read} gives next. */
    public long position() {
        return base + at;
    }

    /** Returns how many lines were passed over since it was asked last. */
    public long takeSkipped() {
        long lines = skipped;
        skipped = 0;
        return lines;
    }

    /** Says whether there was any line. */
    public boolean hasLines() {
        return anyLine;
    }

    /** Says whether any line had a time. */
    public boolean hasTimes() {
        return anyTime;
    }

    /** Returns the form of the times; null while none is known. */
    public @Nullable LineTimeFormat format() {
        return format;
    }

    /** Reads on in the lines that are wanted and follow each other; 0 behind the last of them. */
    public int read(MemorySegment target) {
        int done = 0;
        while (isWithin && done < target.byteSize()) {
            if (isAtStart) {
                isWithin = fillHead() && isWanted();
                if (!isWithin) {
                    break;
                }
                isAtStart = false;
            }
            int length = (int) Math.min(lineEnd() - at, target.byteSize() - done);
            MemorySegment.copy(MemorySegment.ofArray(block), at, target, done, length);
            done += length;
            at += length;
            isAtStart = length > 0 && block[at - 1] == '\n';
            if (at == filled && !isAtStart && done < target.byteSize()) {
                isWithin = fill();
            }
        }
        return done;
    }

    /** Returns where the next line ends, behind its newline, or else the block. */
    private int lineEnd() {
        int end = at;
        while (end < filled && block[end] != '\n') {
            end++;
        }
        return Math.min(filled, end + 1);
    }

    /** Reads until the time of the line that begins is in the block; returns false when no line begins. */
    private boolean fillHead() {
        while (needsMore() && lineEnd() == filled) {
            if (!fill()) {
                break;
            }
        }
        if (format == null && base + at >= guessedTo) {
            guess();
        }
        return at < filled;
    }

    private boolean needsMore() {
        int length = filled - at;
        return length < LineTimeFormat.HEAD_BYTES || (block[at] == '{' && length < block.length);
    }

    private void guess() {
        boolean more = true;
        while (more && filled < block.length) { // as much as there is says it best
            more = fill();
        }
        byte[] text = new byte[filled - at];
        System.arraycopy(block, at, text, 0, text.length);
        format = LineTimeFormat.guess(text);
        guessedTo = base + filled;
    }

    /** Reads on behind what was not given yet; returns false at the end. */
    private boolean fill() {
        if (ended) {
            return false;
        }
        if (at > 0) {
            System.arraycopy(block, at, block, 0, filled - at);
            base += at;
            filled -= at;
            at = 0;
        }
        int got = 0;
        try {
            got = source.read(MemorySegment.ofArray(block).asSlice(filled));
        } catch (IOException e) { // what came before it is given first
            failed = e;
        }
        ended = got <= 0;
        filled += Math.max(0, got);
        return !ended;
    }

    /** Asks the line that begins at the next byte; one that says nothing belongs to the one before. */
    private boolean isWanted() {
        anyLine = true;
        String ends = ends(lineEnd());
        LineTimeFormat known = format;
        LineTimeFormat.Answer answer = known == null ? LineTimeFormat.Answer.NONE : known.ask(ends, clock);
        if (answer == LineTimeFormat.Answer.NONE && clock.format() == null) {
            answer = LineTimeFormat.askAny(ends, clock);
        }
        if (answer != LineTimeFormat.Answer.NONE) {
            anyTime = true;
            isWanted = answer == LineTimeFormat.Answer.INSIDE;
        }
        return isWanted;
    }

    /** Returns the first bytes of the line, and of JSON, which may have its time anywhere, the last ones. */
    private String ends(int end) {
        int head = Math.min(LineTimeFormat.HEAD_BYTES, end - at);
        String first = new String(block, at, head, StandardCharsets.ISO_8859_1);
        int tail = Math.min(LineTimeFormat.HEAD_BYTES, end - at - head);
        return tail == 0 || block[at] != '{'
                ? first
                : first + '\n' + new String(block, end - tail, tail, StandardCharsets.ISO_8859_1);
    }
}
