package io.chagres.fuse;

/** The answer to an operation that returns nothing. */
public final class EmptyReply extends Reply {
    EmptyReply(Exchange exchange) {
        super(exchange);
    }

    /** Answers that it is done. */
    public void done() {
        exchange.answer(0);
    }
}
