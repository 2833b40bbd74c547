package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import java.util.Objects;

/** The answer to getxattr: a value, or how long it is for a caller that asks only that. */
public final class XattrReply extends BufferReply {
    XattrReply(Exchange exchange) {
        super(exchange);
    }

    XattrReply asked(int sizeBytes) {
        size = sizeBytes;
        return this;
    }

    /**
     * Answers with the value that getxattr(2) put into the buffer, or with its result when asked for the length.
     *
     * @param length of the value, bytes
     */
    @Override
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
