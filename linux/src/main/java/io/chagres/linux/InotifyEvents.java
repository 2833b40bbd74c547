package io.chagres.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A cursor over the events of one read, see struct inotify_event in {@code include/uapi/linux/inotify.h}. Used by one
 * thread at a time; allocates nothing after construction.
 */
public final class InotifyEvents implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int MASK = 4;
    private static final int COOKIE = 8;
    private static final int LEN = 12;
    private static final int NAME = 16;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
    private long filled;
    private long event;
    private long following;
    private int nameLength;

    /** Makes a buffer of 64 KiB, freed by {@link #close()}. */
    public InotifyEvents() {}

    /**
     * Moves to the next event.
     *
     * @return false after the last
     */
    public boolean next() {
        if (following >= filled) {
            return false;
        }
        event = following;
        int length = buffer.get(ValueLayout.JAVA_INT, event + LEN);
        following = event + NAME + length;
        nameLength = 0;
        while (nameLength < length && buffer.get(ValueLayout.JAVA_BYTE, event + NAME + nameLength) != 0) {
            nameLength++;
        }
        return true;
    }

    /**
     * Returns which watch the event belongs to.
     *
     * @return the watch descriptor, or -1 when the queue overflowed
     */
    public int wd() {
        return buffer.get(ValueLayout.JAVA_INT, event);
    }

    /**
     * Returns what happened.
     *
     * @return {@code IN_} constants of {@link Inotify}
     */
    public int mask() {
        return buffer.get(ValueLayout.JAVA_INT, event + MASK);
    }

    /**
     * Returns the number that IN_MOVED_FROM and IN_MOVED_TO of one rename share.
     *
     * @return the cookie, or 0
     */
    public int cookie() {
        return buffer.get(ValueLayout.JAVA_INT, event + COOKIE);
    }

    /**
     * Returns the memory that holds the name.
     *
     * @return the buffer, owned by this cursor; the name in it is valid until the next read
     */
    public MemorySegment nameSegment() {
        return buffer;
    }

    /**
     * Returns where the name starts in {@link #nameSegment()}.
     *
     * @return an offset in bytes
     */
    public long nameOffset() {
        return event + NAME;
    }

    /**
     * Returns the length of the name in the watched directory.
     *
     * @return bytes without NUL; 0 if the event is about the watched file itself
     */
    public int nameLength() {
        return nameLength;
    }

    /** Frees the buffer. Idempotent. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    MemorySegment buffer() {
        return buffer;
    }

    void filled(long bytes) {
        filled = bytes;
        following = 0;
    }
}
