package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/** The answer to poll ({@code struct fuse_poll_out}). */
public final class PollReply extends Reply {
    PollReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Answers the events that are ready now.
     *
     * @param events {@code POLL} bits of poll(2)
     */
    public void ready(int events) {
        Abi.putLong(exchange.body, exchange.bodyAt, Integer.toUnsignedLong(events));
        exchange.answer(Abi.POLL_OUT);
    }
}
