package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/** The answer to statx ({@code struct fuse_statx_out}). */
public final class StatxReply extends Reply {
    StatxReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Returns attributes to fill, so that none need be made.
     *
     * @return cleared; of this request
     */
    public Attributes attributes() {
        return exchange.attributes.clear();
    }

    /**
     * Answers with what the node is now, with its time of birth unless that is 0.
     *
     * @param attributes its attributes, and how long the kernel may believe them; borrowed
     */
    public void attributes(Attributes attributes) {
        attributes.writeStatx(exchange.body, exchange.bodyAt, exchange.node());
        exchange.answer(Abi.STATX_OUT);
    }
}
