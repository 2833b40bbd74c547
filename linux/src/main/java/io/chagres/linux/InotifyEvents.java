package io.chagres.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Moves over the events of one read of {@link Inotify} ({@code struct inotify_event}). Confined to one thread; moving
 * allocates nothing.
 */
public final class InotifyEvents implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int HEADER_BYTES = 16;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
    private long filled;
    private long next;
    private long event;

    /** Makes a cursor with a buffer of 64 KiB; close it. */
    public InotifyEvents() {}

    MemorySegment buffer() {
        return buffer;
    }

    void filled(long bytes) {
        filled = bytes;
        next = 0;
    }

    /** Moves to the next event; false when there are no more. */
    public boolean next() {
        if (next >= filled) {
            return false;
        }
        event = next;
        next += HEADER_BYTES + (buffer.get(ValueLayout.JAVA_INT, event + 12) & 0xffffffffL);
        return true;
    }

    /** Says whether another event follows in this buffer. */
    public boolean hasNext() {
        return next < filled;
    }

    /** Returns the watch descriptor; -1 for an overflow. */
    public int wd() {
        return buffer.get(ValueLayout.JAVA_INT, event);
    }

    /** Returns what happened, IN_ constants of {@link Inotify}. */
    public int mask() {
        return buffer.get(ValueLayout.JAVA_INT, event + 4);
    }

    /** Returns the number both halves of a rename have in common; 0 for other events. */
    public int cookie() {
        return buffer.get(ValueLayout.JAVA_INT, event + 8);
    }

    /** Returns the memory that holds the name until the next read; owned by this object. */
    public MemorySegment nameSegment() {
        return buffer;
    }

    /** Returns where the name starts in {@link #nameSegment}. */
    public long nameOffset() {
        return event + HEADER_BYTES;
    }

    /** Returns the length of the name in bytes, 0 when the event is about the watched directory itself. */
    public int nameLength() {
        long end = event + HEADER_BYTES + (buffer.get(ValueLayout.JAVA_INT, event + 12) & 0xffffffffL);
        long at = event + HEADER_BYTES;
        while (at < end && buffer.get(ValueLayout.JAVA_BYTE, at) != 0) {
            at++;
        }
        return (int) (at - event - HEADER_BYTES);
    }

    @Override
    public void close() {
        arena.close();
    }
}
