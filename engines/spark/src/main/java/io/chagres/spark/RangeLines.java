package io.chagres.spark;

import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Cuts the lines that begin in a range of a version, to their ends. What is longer than 256 MiB comes in pieces of that
 * size. Holds a mebibyte, or the longest line. Confined to one thread.
 */
final class RangeLines {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int MAX_LINE_BYTES = 256 << 20;

    /** What is read at once to find where the last line ends. */
    private static final int TAIL_BYTES = 64 << 10;

    /** Eight bytes of a block at once. */
    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = ONES << 7;
    private static final long NEWLINES = ONES * '\n';

    private final VersionReader reader;
    private final FileVersion version;
    private final Split.Range range;
    private byte[] block = new byte[0];
    /** Position of the block's first byte in the version. */
    private long base;

    private int filled;
    private int from;
    private int to;
    /** Where the next line begins. */
    private int at;
    /** Whether what was cut last was a piece of a line that goes on. */
    private boolean within;

    /** Begins; finds the first line that begins in the range, or goes over its start. */
    RangeLines(VersionReader reader, FileVersion version, Split.Range range) throws IOException {
        this.reader = reader;
        this.version = version;
        this.range = range;
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
    static long behindCopies(FileVersion version) {
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
            int newline = newline(at);
            at = newline < 0 ? filled : newline + 1;
            if (newline >= 0) {
                return;
            }
        }
    }

    /** Cuts the next line; returns false when none begins in the range any more. */
    boolean next() throws IOException {
        if (!within && base + at >= range.end()) {
            return false;
        }
        int searched = 0;
        while (true) {
            int newline = newline(at + searched);
            searched = filled - at;
            if (newline >= 0) {
                return cut(newline, newline + 1, false);
            }
            if (searched >= MAX_LINE_BYTES) {
                return cut(filled, filled, true);
            }
            if (!fill()) {
                within = false;
                return searched > 0 && range.rest() && cut(filled, filled, false);
            }
        }
    }

    private boolean cut(int end, int next, boolean goesOn) {
        from = at;
        to = end;
        at = next;
        within = goesOn;
        return true;
    }

    private int newline(int start) {
        int i = start;
        for (; i <= filled - Long.BYTES; i += Long.BYTES) {
            long others = (long) WORDS.get(block, i) ^ NEWLINES;
            long zeros = others - ONES & ~others & HIGHS; // the lowest bit that is set is that of the first newline
            if (zeros != 0) {
                return i + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
            }
        }
        for (; i < filled; i++) {
            if (block[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    /** Reads on behind what is not cut yet; returns false at the end of what is asked for. */
    private boolean fill() throws IOException {
        long position = base + filled;
        if (position >= range.limit()) {
            return false;
        }
        if (at > 0) {
            System.arraycopy(block, at, block, 0, filled - at);
            filled -= at;
            base += at;
            at = 0;
        }
        if (filled == block.length) {
            long left = range.limit() - base;
            int size = Math.max(filled * 2, (int) Math.min(BLOCK_BYTES, left));
            block = Arrays.copyOf(block, (int) Math.min(size, Math.max(left, 1)));
        }
        long wanted = position < range.end() ? range.end() - position : TAIL_BYTES;
        int length = (int) Math.min(Math.min(block.length - filled, wanted), range.limit() - position);
        MemorySegment target = MemorySegment.ofArray(block).asSlice(filled, length);
        int got = reader.read(version, position, target);
        if (got <= 0) {
            throw endsAt(position);
        }
        filled += got;
        return true;
    }

    long versionId() {
        return version.id();
    }

    /** Returns the position of the line's first byte in the version. */
    long position() {
        return base + from;
    }

    /** Returns the line without its newline; the caller's. */
    byte[] bytes() {
        return Arrays.copyOfRange(block, from, to);
    }

    /** Returns the line without its newline where it lies: valid until the next one is cut. */
    UTF8String text() {
        return UTF8String.fromBytes(block, from, to - from);
    }
}
