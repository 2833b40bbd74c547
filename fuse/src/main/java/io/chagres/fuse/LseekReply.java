package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/** The answer to lseek ({@code struct fuse_lseek_out}). */
public final class LseekReply extends Reply {
    LseekReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Answers with the place found.
     *
     * @param position bytes from the start of the file
     */
    public void position(long position) {
        Abi.putLong(exchange.body, exchange.bodyAt, position);
        exchange.answer(Abi.LSEEK_OUT);
    }
}
