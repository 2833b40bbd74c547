package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/** The answer to bmap ({@code struct fuse_bmap_out}). */
public final class BmapReply extends Reply {
    BmapReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Answers where a block of the file is.
     *
     * @param block its number on the device; 0 is a hole
     */
    public void block(long block) {
        Abi.putLong(exchange.body, exchange.bodyAt, block);
        exchange.answer(Abi.BMAP_OUT);
    }
}
