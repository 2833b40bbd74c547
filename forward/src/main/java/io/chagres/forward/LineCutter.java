package io.chagres.forward;

import io.chagres.foreign.MemoryScan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Cuts the bytes of one version into values: lines without their newlines, or chunks. A line that is longer than a
 * value may be is cut behind as many bytes as fit. Confined to one thread.
 */
final class LineCutter {
    /** Takes what was cut. */
    @FunctionalInterface
    interface Target {
        /**
         * Takes a value.
         *
         * @param line where the line begins, {@link ForwardedRecord#WHOLE} for a whole one
         * @param last whether the line ends with it
         * @param next the first byte behind it that is to be cut
         * @param nextLine where the line begins that the next byte lies in
         */
        void take(long offset, byte[] value, long line, boolean last, long next, long nextLine) throws IOException;
    }

    private final int maxBytes;
    private final boolean chunks;
    private final Target target;
    private byte[] held = new byte[4096];
    private int length;
    private long offset;
    private long line;

    /**
     * Begins at a position.
     *
     * @param offset of the first byte to come
     * @param line where the line begins that it lies in; the offset itself between lines
     */
    LineCutter(int maxBytes, boolean chunks, long offset, long line, Target target) {
        this.maxBytes = maxBytes;
        this.chunks = chunks;
        this.offset = offset;
        this.line = line;
        this.target = target;
    }

    /** Returns the first byte that was not handed on. */
    long offset() {
        return offset;
    }

    /** Returns where the line begins that the offset lies in. */
    long line() {
        return line;
    }

    /** Takes the next bytes, in native memory. */
    void write(MemorySegment bytes) throws IOException {
        long from = 0;
        while (from < bytes.byteSize()) {
            long rest = bytes.byteSize() - from;
            long found = chunks ? -1 : MemoryScan.indexOf(bytes, (byte) '\n', from, rest);
            long newline = found < 0 ? -1 : from + found;
            if (length == 0 && found >= 0 && found <= maxBytes) {
                byte[] value = new byte[(int) found];
                MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, from, value, 0, value.length);
                hand(value, true, true);
                from = newline + 1;
                continue;
            }
            from = hold(bytes, from, newline < 0 ? bytes.byteSize() : newline);
            if (from == newline) {
                end(true, true);
                from++;
            }
        }
    }

    /**
     * Hands on what waits for its end.
     *
     * @param last whether nothing will follow
     */
    void flush(boolean last) throws IOException {
        if (length > 0) {
            end(last, false);
        }
    }

    private long hold(MemorySegment bytes, long from, long to) throws IOException {
        int taken = (int) Math.min(to - from, maxBytes - length);
        if (length + taken > held.length) {
            held = Arrays.copyOf(held, Math.min(maxBytes, Math.max(2 * held.length, length + taken)));
        }
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, from, held, length, taken);
        length += taken;
        if (from + taken < to || (chunks && length == maxBytes)) {
            end(false, false); // there is more of it
        }
        return from + taken;
    }

    private void end(boolean last, boolean newline) throws IOException {
        byte[] value = Arrays.copyOf(held, length);
        length = 0;
        hand(value, last, newline);
    }

    /** Hands a value on; what was cut goes to the end of it, and of the newline that may follow. */
    private void hand(byte[] value, boolean last, boolean newline) throws IOException {
        boolean whole = chunks || (last && line == offset);
        long start = offset;
        long lineStart = whole ? ForwardedRecord.WHOLE : line;
        offset += value.length + (newline ? 1 : 0);
        line = last || chunks ? offset : line;
        target.take(start, value, lineStart, whole || last, offset, line);
    }
}
