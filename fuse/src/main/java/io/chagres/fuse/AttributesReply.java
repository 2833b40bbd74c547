package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/** The answer to getattr and setattr ({@code struct fuse_attr_out}). */
public final class AttributesReply extends Reply {
    AttributesReply(Exchange exchange) {
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
     * Answers with what the node is now.
     *
     * @param attributes its attributes, and how long the kernel may believe them; borrowed
     */
    public void attributes(Attributes attributes) {
        attributes.writeAttributes(exchange.body, exchange.bodyAt, exchange.node());
        exchange.answer(Abi.ATTR_OUT);
    }
}
