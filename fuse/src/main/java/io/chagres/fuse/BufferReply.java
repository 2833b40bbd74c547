package io.chagres.fuse;

import java.lang.foreign.MemorySegment;

/** An answer of bytes, which the file system may put straight into the buffer that the kernel gets. */
public abstract class BufferReply extends Reply {
    /** The bytes that the caller asked for. */
    int size;

    BufferReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Returns the memory to put the bytes into.
     *
     * @return the room for the answer and nothing else; the bytes go to {@link #offset()}
     */
    public final MemorySegment buffer() {
        return exchange.body;
    }

    /**
     * Returns where in {@link #buffer()} the bytes go.
     *
     * @return an offset in bytes
     */
    public final long offset() {
        return exchange.bodyAt;
    }

    /**
     * Returns how many bytes may go there.
     *
     * @return the number of bytes asked for; 0 for a caller that asks only how long an attribute, or the list, is
     */
    public final int capacity() {
        return (int) Math.min(size, exchange.bodyCapacity);
    }

    /**
     * Answers with what was put there; with its length alone for a caller that asks only that.
     *
     * @param length of all of it, bytes
     */
    public abstract void filled(long length);
}
