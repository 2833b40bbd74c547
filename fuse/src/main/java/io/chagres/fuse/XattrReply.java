package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;

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
     * Answers with the value; ERANGE if it is longer than asked for, and its length if that was asked for.
     *
     * @param value the bytes, at most 65536
     */
    public void value(byte[] value) {
        if (size == 0) {
            Abi.putLong(exchange.body, exchange.bodyAt, value.length);
            exchange.answer(Abi.GETXATTR_OUT);
        } else if (value.length > size) {
            exchange.answerError(Errno.ERANGE);
        } else {
            exchange.copyToBody(value, 0);
            exchange.answer(value.length);
        }
    }
}
