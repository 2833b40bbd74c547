package io.chagres.ship;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Holds the bytes of an input that are read and in no commit yet: one thread fills it, which waits while there is no
 * room, and another takes from it. So who writes into a pipe waits for the store. Safe for these two threads.
 */
public final class InputBuffer {
    private static final int BYTES = 1 << 20;

    private final byte[] bytes = new byte[BYTES];
    private Runnable wakeup = () -> {};
    private int start;
    private int length;
    private boolean ended;
    private boolean closed;
    private @Nullable IOException failure;

    /** Begins empty. */
    public InputBuffer() {}

    /** Sets the action that wakes the thread that takes; before the first byte. */
    synchronized void onFilled(Runnable what) {
        wakeup = what;
        what.run();
    }

    /** Reads an input to its end, or until {@link #close}, which does not wake a read that hangs. */
    public void fill(InputStream in) {
        IOException failed = null;
        try {
            for (int at = room(); at >= 0; at = room()) {
                int read = in.read(bytes, at, most(at));
                if (read < 0) {
                    break;
                }
                filled(read);
            }
        } catch (IOException e) {
            failed = e;
        }
        end(failed);
    }

    /** Waits for room and returns where it begins; -1 when nobody takes bytes any longer. */
    private synchronized int room() throws IOException {
        while (length == BYTES && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        return closed ? -1 : (start + length) % BYTES;
    }

    private synchronized int most(int at) {
        return Math.min(BYTES - at, BYTES - length);
    }

    private synchronized void filled(int read) {
        length += read;
        wakeup.run();
    }

    private synchronized void end(@Nullable IOException why) {
        failure = why;
        ended = true;
        wakeup.run();
    }

    /** Returns how many bytes wait. */
    synchronized int available() {
        return length;
    }

    /** Says whether nothing comes behind the bytes that wait. */
    synchronized boolean isEnded() {
        return ended || closed;
    }

    /** Says whether everything was read to the end of the input. */
    synchronized boolean isWhole() {
        return ended && !closed && failure == null;
    }

    /** Returns why the input could not be read further; null when it could. */
    synchronized @Nullable IOException failure() {
        return failure;
    }

    /** Takes bytes off the front and returns how many. */
    synchronized int take(MemorySegment target, long offset, int most) {
        int taken = Math.min(most, length);
        int first = Math.min(taken, BYTES - start);
        MemorySegment source = MemorySegment.ofArray(bytes);
        MemorySegment.copy(source, start, target, offset, first);
        MemorySegment.copy(source, 0, target, offset + first, taken - first);
        start = (start + taken) % BYTES;
        length -= taken;
        notifyAll();
        return taken;
    }

    /** Takes no more than waits now. */
    synchronized void close() {
        closed = !ended;
        notifyAll();
    }
}
