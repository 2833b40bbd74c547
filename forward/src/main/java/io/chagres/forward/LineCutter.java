package io.chagres.forward;

import io.chagres.foreign.MemoryScan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Cuts the bytes of one version into values: lines without their newlines, or chunks. What is longer than a value may
 * be is cut behind as many bytes as fit. Confined to one thread.
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
         */
        void take(long offset, byte[] value, long line, boolean last) throws IOException;
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
                hand(value, true);
                endLine();
                from = newline + 1;
                continue;
            }
            from = hold(bytes, from, newline < 0 ? bytes.byteSize() : newline);
            if (from == newline) {
                end(true);
                endLine();
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
            end(last);
            line = last || chunks ? offset : line;
        }
    }

    private long hold(MemorySegment bytes, long from, long to) throws IOException {
        int taken = (int) Math.min(to - from, maxBytes - length);
        if (length + taken > held.length) {
            held = Arrays.copyOf(held, Math.min(maxBytes, Math.max(2 * held.length, length + taken)));
        }
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, from, held, length, taken);
        length += taken;
        if (from + taken < to || chunks && length == maxBytes) {
            end(false); // there is more of it
            line = chunks ? offset : line;
        }
        return from + taken;
    }

    private void end(boolean last) throws IOException {
        byte[] value = Arrays.copyOf(held, length);
        length = 0;
        hand(value, last);
    }

    private void hand(byte[] value, boolean last) throws IOException {
        boolean whole = chunks || last && line == offset;
        target.take(offset, value, whole ? ForwardedRecord.WHOLE : line, whole || last);
        offset += value.length;
    }

    private void endLine() {
        offset++; // the newline
        line = offset;
    }
}
