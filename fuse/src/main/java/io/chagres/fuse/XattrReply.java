package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The answer to getxattr: a value, or how long it is for a caller that asks only that. */
public final class XattrReply extends Reply {
    XattrReply(Exchange exchange) {
        super(exchange);
    }

    private int size;

    XattrReply asked(int sizeBytes) {
        size = sizeBytes;
        return this;
    }

    /**
     * Returns the memory to read a value into.
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
     * @return the number of bytes asked for; 0 for a caller that asks only how long the value is
     */
    public int capacity() {
        return (int) Math.min(size, exchange.bodyCapacity);
    }

    /**
     * Answers with the value that getxattr(2) put into the buffer, or with its result when asked for the length.
     *
     * @param length of the value, bytes
     */
    public void filled(long length) {
        if (size == 0) {
            Abi.putLong(exchange.body, exchange.bodyAt, length);
            exchange.answer(Abi.GETXATTR_OUT);
        } else {
            exchange.answer(Objects.checkIndex(length, capacity() + 1L));
        }
    }

    /**
     * Answers with the value; ERANGE if it is longer than asked for, and its length if that was asked for.
     *
     * @param value the bytes, at most 65536
     */
    public void value(byte[] value) {
        if (size != 0 && value.length > capacity()) {
            exchange.answerError(Errno.ERANGE);
            return;
        }
        if (size != 0) {
            exchange.copyToBody(value, 0);
        }
        filled(value.length);
    }
}
