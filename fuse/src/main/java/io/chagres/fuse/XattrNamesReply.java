package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import java.lang.foreign.ValueLayout;

/** The answer to listxattr: names, or how long they are for a caller that asks only that. */
public final class XattrNamesReply extends BufferReply {
    XattrNamesReply(Exchange exchange) {
        super(exchange);
    }

    private long length;

    XattrNamesReply asked(int sizeBytes) {
        size = sizeBytes;
        length = 0;
        return this;
    }

    /**
     * Answers with the list that listxattr(2) put into the buffer, or with its result when asked for the length.
     *
     * @param lengthBytes of the list
     */
    @Override
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
        if (length + name.length < capacity()) {
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
