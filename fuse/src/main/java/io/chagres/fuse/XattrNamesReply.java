package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The answer to listxattr: names, or how long they are for a caller that asks only that. */
public final class XattrNamesReply extends Reply {
    XattrNamesReply(Exchange exchange) {
        super(exchange);
    }

    private int size;
    private long length;

    XattrNamesReply asked(int sizeBytes) {
        size = sizeBytes;
        length = 0;
        return this;
    }

    /**
     * Returns the memory to read a list into.
     *
     * @return the room for the answer and nothing else; the bytes go to {@link #offset()}
     */
    public MemorySegment buffer() {
        return exchange.body;
    }

    /**
     * Returns where in {@link #buffer()} the bytes go.
     *
     * @return an offset in bytes
     */
    public long offset() {
        return exchange.bodyAt;
    }

    /**
     * Returns how many bytes may go there.
     *
     * @return the number of bytes asked for; 0 for a caller that asks only how long the list is
     */
    public int capacity() {
        return (int) Math.min(size, exchange.bodyCapacity);
    }

    /**
     * Answers with the list that listxattr(2) put into the buffer, or with its result when asked for the length.
     *
     * @param lengthBytes of the list
     */
    public void filled(long lengthBytes) {
        length = lengthBytes;
        done();
    }

    /**
     * Adds a name.
     *
     * @param name its bytes, with the prefix such as {@code user.}
     * @return this
     */
    public XattrNamesReply add(byte[] name) {
        if (length + name.length < Math.min(size, exchange.bodyCapacity)) {
            exchange.copyToBody(name, length);
            exchange.body.set(ValueLayout.JAVA_BYTE, exchange.bodyAt + length + name.length, (byte) 0);
        }
        length += name.length + 1L;
        return this;
    }

    /** Answers with the names added; ERANGE if they are longer than asked for. */
    public void done() {
        if (size == 0) {
            Abi.putLong(exchange.body, exchange.bodyAt, length);
            exchange.answer(Abi.GETXATTR_OUT);
        } else if (length > size) {
            exchange.answerError(Errno.ERANGE);
        } else {
            exchange.answer(length);
        }
    }
}
