package io.chagres.archive.find;

import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.foreign.MemoryScan;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the lines that begin in a range of a version, to their ends, some at a time, which lie in one block. A line
 * longer than 256 MiB comes in pieces of that size. Holds some more than a mebibyte, or the longest line. Confined to
 * one thread at a time.
 */
public final class RangeLines {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int MAX_LINE_BYTES = 256 << 20;

    /** The bytes read at once to find where the last line ends. */
    private static final int TAIL_BYTES = 64 << 10;

    private final VersionReader reader;
    private final FileVersion version;
    private final LineRange range;
    private final @Nullable LineFinder finder;
    private final LineBlock block;
    /** Position of the block's first byte in the version. */
    private long base;

    private int filled;
    /** Where the next line begins. */
    private int at;
    /** Up to here lines of the range lie in the block as a whole. */
    private int whole;
    /** Before here there is no newline that {@link #whole} does not know of. */
    private int searched;
    /** Whether the last cut was a piece of a line that continues. */
    private boolean within;

    /**
     * Begins; finds the first line that begins in the range, or goes over its start.
     *
     * @param finder finds the lines that are wanted; null when all are
     * @param block takes the lines
     */
    public RangeLines(
            VersionReader reader, FileVersion version, LineRange range, @Nullable LineFinder finder, LineBlock block)
            throws IOException {
        this.reader = reader;
        this.version = version;
        this.range = range;
        this.finder = finder;
        this.block = block;
        long floor = range.added() ? behindCopies(version) : version.startPosition();
        long start = Math.max(range.start(), floor);
        boolean skips = !range.over() && start > floor;
        base = skips ? start - 1 : range.over() ? begin(start, floor) : start;
        if (base < range.end()) {
            reader.expect(version, base, range.end());
        }
        if (skips) {
            skipLine();
        }
    }

    /** Returns where a version ends to be the copy of another: its lines are that one's. Zeros may lie in between. */
    public static long behindCopies(FileVersion version) {
        long position = version.startPosition();
        for (LogRecord.Extent extent : Objects.requireNonNull(version.extents())) {
            switch (extent) {
                case LogRecord.CopyRun run -> position = run.end();
                case LogRecord.ZeroRun run -> {}
                default -> {
                    return position;
                }
            }
        }
        return position;
    }

    /** Returns where the line begins that goes over a start, not before the floor. */
    private long begin(long start, long floor) throws IOException {
        MemorySegment tail = MemorySegment.ofArray(new byte[TAIL_BYTES]);
        for (long end = start; end > floor; ) {
            int length = (int) Math.min(end - floor, TAIL_BYTES);
            read(end - length, tail.asSlice(0, length));
            for (int i = length - 1; i >= 0; i--) {
                if (tail.get(ValueLayout.JAVA_BYTE, i) == '\n') {
                    return end - length + i + 1;
                }
            }
            end -= length;
        }
        return floor;
    }

    private void read(long position, MemorySegment target) throws IOException {
        for (int done = 0; done < target.byteSize(); ) {
            int got = reader.read(version, position + done, target.asSlice(done));
            if (got <= 0) {
                throw endsAt(position + done);
            }
            done += got;
        }
    }

    private EOFException endsAt(long position) {
        return new EOFException("version " + Long.toHexString(version.id()) + " ends at " + position + " of "
                + range.limit() + "; 'chagres verify' tells more");
    }

    /** Goes behind the first newline, but not behind the range: a line that reaches so far is another range's. */
    private void skipLine() throws IOException {
        while (base + at < range.end() && fill()) {
            int newline = newline(at, filled);
            at = newline < 0 ? filled : newline + 1;
            if (newline >= 0) {
                break;
            }
        }
        findWhole();
    }

    /** Cuts the next lines, instead of those before; returns false when no other begins in the range. */
    public boolean next() throws IOException {
        block.clear();
        while (block.count() == 0) {
            if (at < whole) {
                cutWhole();
            } else if (!within && base + at >= range.end()) {
                return false;
            } else if (filled - at >= MAX_LINE_BYTES) {
                within = true;
                cutRest();
            } else if (fill()) {
                findWhole();
            } else {
                within = false;
                if (at == filled || !range.rest()) {
                    return false;
                }
                cutRest();
            }
        }
        return true;
    }

    /** Cuts lines that lie in the block as a whole. */
    private void cutWhole() {
        within = false;
        if (finder != null) {
            find(finder, whole);
            return;
        }
        while (at < whole && !block.isFull()) {
            int newline = newline(at, whole);
            block.add(at, newline);
            at = newline + 1;
        }
    }

    /** Cuts what is left of the block as one line, or a piece of one. */
    private void cutRest() {
        if (finder != null) {
            find(finder, filled);
        } else {
            block.add(at, filled);
            at = filled;
        }
        whole = filled;
        searched = filled;
    }

    private void find(LineFinder wanted, int to) {
        wanted.reset();
        while (at < to && !block.isFull()) {
            boolean found = wanted.find(block.memory(), at, to);
            if (found) {
                block.add((int) wanted.start(), (int) wanted.end());
            }
            at = found ? Math.min((int) wanted.end() + 1, to) : to;
        }
    }

    /** Finds the end of the last line that is in the block as a whole and begins in the range. */
    private void findWhole() {
        searched = Math.max(at, searched);
        whole = at;
        if (!within && base + at >= range.end()) {
            return;
        }
        int stop = Math.clamp(range.end() - base, at, filled);
        int from = Math.max(searched, stop - 1);
        int newline = newline(from, filled);
        long before = newline < 0 ? MemoryScan.lastIndexOf(block.memory(), (byte) '\n', searched, from - searched) : -1;
        if (newline >= 0) {
            whole = newline + 1;
        } else if (before >= 0) {
            whole = searched + (int) before + 1;
        }
        searched = filled;
    }

    /** Returns the first newline of a range of the block; -1 when there is none. */
    private int newline(int from, int to) {
        int found = (int) MemoryScan.indexOf(block.memory(), (byte) '\n', from, to - from);
        return found < 0 ? -1 : from + found;
    }

    /** Reads on behind what is not cut yet; returns false at the end of the wanted range. */
    private boolean fill() throws IOException {
        long position = base + filled;
        if (position >= range.limit()) {
            return false;
        }
        if (at > 0) {
            MemorySegment.copy(block.memory(), at, block.memory(), 0, filled - at);
            filled -= at;
            whole = Math.max(0, whole - at);
            searched = Math.max(0, searched - at);
            base += at;
            at = 0;
        }
        int room = roomOf(position);
        block.grow((long) filled + room, filled);
        int got = reader.read(version, position, block.memory().asSlice(filled, room));
        if (got <= 0) {
            throw endsAt(position);
        }
        filled += got;
        return true;
    }

    /** Returns how much is read at a position: to the end of a piece, which is decompressed where it is wanted. */
    private int roomOf(long position) {
        long most = BLOCK_BYTES - position % LogRecord.PIECE_BYTES;
        long wanted = position < range.end() ? Math.min(range.end() - position, most) : TAIL_BYTES;
        return (int) Math.min(wanted, range.limit() - position);
    }

    /** Returns whose lines they are. */
    public long versionId() {
        return version.id();
    }

    /** Returns the position in the version of the first byte of a line that was cut. */
    public long position(int line) {
        return base + block.start(line);
    }
}
