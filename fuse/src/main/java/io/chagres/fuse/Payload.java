package io.chagres.fuse;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The data of a request: the bytes to write, or the value of an attribute. A view of the request's buffer that is valid
 * as long as its {@link Request}.
 */
public final class Payload {
    private MemorySegment segment = MemorySegment.NULL;
    private long offset;
    private int length;
    private int flags;

    Payload() {}

    void set(MemorySegment memory, long at, int lengthBytes, int openFlags) {
        segment = memory;
        offset = at;
        length = lengthBytes;
        flags = openFlags;
    }

    /**
     * Returns the memory that holds the data.
     *
     * @return borrowed native memory, read-only
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Returns where the data starts in {@link #segment()}.
     *
     * @return an offset in bytes
     */
    public long offset() {
        return offset;
    }

    /**
     * Returns how much there is.
     *
     * @return bytes, 0 or more
     */
    public int length() {
        return length;
    }

    /**
     * Leaves the end out: for a file system in front of another that writes less than was asked for.
     *
     * @param lengthBytes how much stays; more than there is changes nothing
     */
    public void shorten(int lengthBytes) {
        length = Math.min(length, Math.max(0, lengthBytes));
    }

    /**
     * Returns the flags of the open file that is written.
     *
     * @return {@code O_} constants of open(2); 0 where there is no open file
     */
    public int flags() {
        return flags;
    }

    /**
     * Copies the data.
     *
     * @return a new array
     */
    public byte[] bytes() {
        byte[] bytes = new byte[length];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
        return bytes;
    }
}
