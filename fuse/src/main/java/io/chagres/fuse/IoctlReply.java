package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/** The answer to ioctl ({@code struct fuse_ioctl_out}). */
public final class IoctlReply extends Reply {
    IoctlReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Answers with a result and the bytes for the memory that the argument points to.
     *
     * @param result what ioctl(2) returns, 0 or more
     * @param output at most as long as {@link IoctlCall#outputLength()}
     */
    public void result(int result, byte[] output) {
        Abi.putLong(exchange.body, exchange.bodyAt, Integer.toUnsignedLong(result));
        Abi.putLong(exchange.body, exchange.bodyAt + Abi.IOCTL_OUT_IN_IOVS, 0);
        exchange.copyToBody(output, Abi.IOCTL_OUT);
        exchange.answer(Abi.IOCTL_OUT + (long) output.length);
    }
}
