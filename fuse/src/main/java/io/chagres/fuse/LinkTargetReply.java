package io.chagres.fuse;

/** The answer to readlink. */
public final class LinkTargetReply extends Reply {
    LinkTargetReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Answers with what the link says.
     *
     * @param target its bytes, 1 to 4095, without NUL
     */
    public void target(byte[] target) {
        exchange.copyToBody(target, 0);
        exchange.answer(target.length);
    }
}
