package io.chagres.cli.read;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Finds where the last lines of a range of bytes begin, reading it backwards. Confined to one thread. */
final class LastLines implements AutoCloseable {
    private static final int FIRST_LINE_BYTES = 64;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment block;

    /** Bytes that can be read at any position. */
    @FunctionalInterface
    interface Source {
        /**
         * Fills the target from a position on.
         *
         * @throws IOException also when fewer bytes are there
         */
        void read(long position, MemorySegment target) throws IOException;

        /** Returns where bytes without newlines begin that end at a position, as far as that is known. */
        default long blankFrom(long end) {
            return end;
        }
    }

    /**
     * Creates a finder.
     *
     * @param blockBytes bytes read at once, at least 1
     */
    LastLines(int blockBytes) {
        block = arena.allocate(blockBytes);
    }

    /**
     * Returns the position at which the last lines begin. A last line without a newline counts as a line.
     *
     * @param from first position of the range
     * @param to position after the range
     * @param lines how many lines, 0 or more
     * @return {@code from} to {@code to}
     */
    long start(Source source, long from, long to, long lines) throws IOException {
        if (lines == 0) {
            return to;
        }
        long missing = lines;
        long end = to;
        while (end > from) {
            end = Math.max(from, source.blankFrom(end));
            int length = (int) Math.min(likelyBytes(missing, lines - missing, to - end), end - from);
            MemorySegment piece = block.asSlice(0, length);
            if (length > 0) {
                source.read(end - length, piece);
            }
            for (int i = length - 1; i >= 0; i--) {
                long position = end - length + i;
                boolean ends = piece.get(ValueLayout.JAVA_BYTE, i) == '\n' && position != to - 1;
                if (ends && --missing == 0) {
                    return position + 1;
                }
            }
            end -= length;
        }
        return from;
    }

    /** Returns how many bytes are likely to hold the lines: each commit that is not read is a request less. */
    private long likelyBytes(long missing, long found, long readBytes) {
        long perLine = found == 0 ? Math.max(FIRST_LINE_BYTES, readBytes) : readBytes / found + 1;
        return missing > block.byteSize() / perLine ? block.byteSize() : missing * perLine;
    }

    @Override
    public void close() {
        arena.close();
    }
}
